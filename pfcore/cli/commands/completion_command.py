"""`pf completion SHELL`: a script that completes commands and options, made of the parser itself.

The script is static: nothing of pf-verify runs while somebody types.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from shlex import quote

from pfcore.cli.command_parser import CommandParser


@dataclass(frozen=True, slots=True, kw_only=True)
class CompletedCommand:
    """A command, by the words that lead to it, with what may follow.

    `words` are its subcommands, or the choices of its first argument, each with a help text;
    `choices` are the words that options with a fixed list accept.
    """

    path: tuple[str, ...]
    words: tuple[tuple[str, str], ...]
    flags: tuple[str, ...]
    choices: tuple[tuple[str, tuple[str, ...]], ...]


def completion(shell: str, parser: CommandParser) -> str:
    """The script for a shell: bash, zsh or fish."""
    ways: dict[str, Callable[[list[CompletedCommand]], Iterator[str]]] = {
        "bash": _bash,
        "zsh": _zsh,
        "fish": _fish,
    }
    return "\n".join(ways[shell](list(_commands(parser, ())))) + "\n"


def _commands(parser: CommandParser, path: tuple[str, ...]) -> Iterator[CompletedCommand]:
    inner = parser.subcommands()
    places = [one for one in parser.places() if one.choices]
    words = [(name, said.replace("%%", "%")) for name, (_, said) in inner.items()]
    words += [(str(word), "") for place in places[:1] for word in place.choices or ()]
    flags = parser.flags()
    choices = ((flag, tuple(parser.choices_of(flag))) for flag in flags)
    yield CompletedCommand(
        path=path,
        words=tuple(words),
        flags=tuple(flags),
        choices=tuple(item for item in choices if item[1]),
    )
    for name, (one, _) in inner.items():
        yield from _commands(one, (*path, name))


def _key(path: tuple[str, ...]) -> str:
    return " ".join(("pf", *path))


def _bash(found: list[CompletedCommand]) -> Iterator[str]:
    """A bash function that finds the command in the words before, and what may follow it."""
    paths = "|".join(quote(_key(one.path)) for one in found if one.path)
    yield "# pf completion bash; save it where bash finds it, or: source <(pf completion bash)"
    yield "_pf_complete() {"
    yield '  local word="${COMP_WORDS[COMP_CWORD]}" before="${COMP_WORDS[COMP_CWORD-1]}" key=pf i'
    yield "  for ((i = 1; i < COMP_CWORD; i++)); do"
    yield f'    case "$key ${{COMP_WORDS[i]}}" in {paths}) key="$key ${{COMP_WORDS[i]}}" ;; esac'
    yield "  done"
    yield "  COMPREPLY=()"
    yield '  case "$key $before" in'
    for one in found:
        for flag, taken in one.choices:
            listed = quote(" ".join(taken))
            yield f"    {quote(f'{_key(one.path)} {flag}')})"
            yield f'      COMPREPLY=($(compgen -W {listed} -- "$word")); return ;;'
    yield "  esac"
    yield '  case "$key" in'
    for one in found:
        words = " ".join(word for word, _ in one.words)
        yield f"    {quote(_key(one.path))})"
        flags = quote(" ".join(one.flags))
        yield f'      if [[ "$word" == -* ]]; then COMPREPLY=($(compgen -W {flags} -- "$word"))'
        yield f'      else COMPREPLY=($(compgen -W {quote(words)} -- "$word")); fi ;;'
    yield "  esac"
    yield "}"
    yield "complete -o bashdefault -o default -F _pf_complete pf"


def _zsh(found: list[CompletedCommand]) -> Iterator[str]:
    """The same for zsh, with the help texts of the commands."""
    paths = "|".join(quote(_key(one.path)) for one in found if one.path)
    yield "#compdef pf"
    yield "# pf completion zsh; save it as _pf in a folder of $fpath"
    yield "_pf() {"
    yield '  local key=pf word before="${words[CURRENT-1]}"'
    yield '  for word in "${words[@]:1:$((CURRENT - 2))}"; do'
    yield f'    case "$key $word" in {paths}) key="$key $word" ;; esac'
    yield "  done"
    yield '  case "$key $before" in'
    for one in found:
        for flag, words in one.choices:
            listed = " ".join(map(quote, words))
            yield f"    {quote(f'{_key(one.path)} {flag}')}) compadd -- {listed}; return ;;"
    yield "  esac"
    yield '  case "$key" in'
    for one in found:
        told = " ".join(quote(f"{word}:{said}" if said else word) for word, said in one.words)
        yield f"    {quote(_key(one.path))})"
        flags = " ".join(one.flags)
        yield f'      if [[ "${{words[CURRENT]}}" == -* ]]; then compadd -- {flags}; return; fi'
        if one.words:
            yield f"      local -a listed=({told}); _describe command listed; return ;;"
        else:
            yield "      _files; return ;;"
    yield "  esac"
    yield "}"
    yield 'if [[ "${funcstack[1]}" == _pf ]]; then _pf "$@"; else compdef _pf pf; fi'


def _fish(found: list[CompletedCommand]) -> Iterator[str]:
    """A line for each word, with the commands before it as condition."""
    yield "# pf completion fish; save it as ~/.config/fish/completions/pf.fish"
    for one in found:
        inner = " ".join(word for word, _ in one.words)
        seen = "; and ".join(f"__fish_seen_subcommand_from {word}" for word in one.path)
        bare = f"; and not __fish_seen_subcommand_from {inner}" if one.path and inner else ""
        condition = f"{seen}{bare}" if one.path else "__fish_use_subcommand"
        for word, said in one.words:
            told = f" -d {_fish_quoted(said)}" if said else ""
            yield f"complete -c pf -f -n {_fish_quoted(condition)} -a {_fish_quoted(word)}{told}"
        options = seen or "__fish_use_subcommand"
        choices = dict(one.choices)
        for flag in one.flags:
            kind = "-l" if flag.startswith("--") else "-s"
            name = flag.lstrip("-")
            words = f" -x -a {_fish_quoted(' '.join(choices[flag]))}" if flag in choices else ""
            yield f"complete -c pf -n {_fish_quoted(options)} {kind} {name}{words}"


def _fish_quoted(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"
