"""Commands in comments: where they count, how they read, and who may give them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.domain.chat_commands import (
    Command,
    CommandAuthor,
    Misread,
    Permission,
    Verb,
    may,
    parse_commands,
)

CHECK = (Command(verb=Verb.CHECK),)
ID = "ab2cd3ef"


@pytest.mark.parametrize(
    ("body", "command"),
    [
        ("/pf check", Command(verb=Verb.CHECK)),
        (f"/pf check {'A' * 40}", Command(verb=Verb.CHECK, commit="a" * 40)),
        ("/pf check abcdef0 now", Command(verb=Verb.CHECK, commit="abcdef0")),
        ("/pf check abcdef", Command(verb=Verb.CHECK)),
        ("/pf", Command(verb=Verb.HELP)),
        ("/pf CHECK now please", Command(verb=Verb.CHECK)),
        ("/pf\tgraph\t", Command(verb=Verb.GRAPH)),
        ("/pf pause", Command(verb=Verb.PAUSE)),
        ("/pf resume", Command(verb=Verb.RESUME)),
        ("/pf help", Command(verb=Verb.HELP)),
        (f"/pf recheck {ID}", Command(verb=Verb.RECHECK, finding=ID)),
        (f"/pf explain {ID.upper()}", Command(verb=Verb.EXPLAIN, finding=ID)),
        (
            f"/pf dismiss {ID}  by (2),\u202e as $f$ is odd ",
            Command(verb=Verb.DISMISS, finding=ID, reason="by (2), as $f$ is odd"),
        ),
    ],
)
def test_a_line_is_a_command(body, command):
    assert parse_commands(body) == (command,)


@pytest.mark.parametrize(
    ("body", "found"),
    [
        ("@pf-us check", CHECK),
        ("@PF-us, check", CHECK),
        ("@pf-us[bot]: check", CHECK),
        (f"@pf-us explain {ID}\n/pf check", (Command(verb=Verb.EXPLAIN, finding=ID), *CHECK)),
        ("@pf-us check\n/pf check", CHECK),
        ("@pf-us", (Command(verb=Verb.HELP),)),
        ("@alice check", ()),
        ("@pf-use check", ()),
        ("thanks, @pf-us check", ()),
        ("> @pf-us check", ()),
        ("```\n@pf-us check\n```", ()),
    ],
)
def test_who_mentions_the_app_speaks_to_it(body, found):
    assert parse_commands(body, "pf-us") == found


@pytest.mark.parametrize("name", ["pf-us", "check", ""])
def test_a_mention_is_no_command_where_nobody_knows_the_name_of_the_app(name):
    assert parse_commands(f"@{name} check") == ()


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ("/pf approve", "unknown command “approve”"),
        ("/pf recheck", "needs the id"),
        ("/pf explain lem:a", "needs the id"),
        (f"/pf dismiss {ID}", "needs a reason"),
        (f"/pf dismiss {ID} \u200b", "needs a reason"),
    ],
)
def test_a_line_that_is_not_understood_is_answered(body, words):
    (found,) = parse_commands(body)
    assert isinstance(found, Misread) and words in found.sentence


@pytest.mark.parametrize(
    "body",
    [
        "please /pf check",
        " /pf check",
        "    /pf check",
        "/pfcheck",
        "/pf-verify check",
        "`/pf check`",
        "> /pf check",
        "  > > /pf check",
        "> quoted\n/pf check",
        "```\n/pf check\n```",
        "~~~~ tex\n/pf check\n~~~\n/pf check",
        "```\n/pf check",
        "```\n    ```\n/pf check",
        "```\n``` tex\n/pf check",
        "- a\n    ```\n/pf check\n    ```",
        "<!--\n/pf check\n-->",
        "a <!-- b\n\n/pf check",
        "<pre>\n/pf check\n</pre>",
        '<PRE lang="x"><code>\n/pf check\n</code></PRE>',
        "<blockquote>\n\n/pf check\n</blockquote>",
        "",
    ],
)
def test_quoted_fenced_and_hidden_lines_are_no_commands(body):
    assert parse_commands(body) == ()


@pytest.mark.parametrize(
    "body",
    [
        "Thank you.\r\n/pf check\r\n",
        "> quoted\n\n/pf check",
        "```\ncode\n```\n/pf check",
        "~~~\n```\n~~~\n/pf check",
        "- a\n    ```\n    b\n    ```\n/pf check",
        "``` a`b\n/pf check",
        "<!-- a -->\n/pf check",
        "<!--\n-->\n/pf check",
        "<pre>a</pre> <code>b</code>\n/pf check",
        "<blockquote>\na\n</Blockquote>\n/pf check",
        "/pf check\n/pf check",
    ],
)
def test_what_stands_after_them_is(body):
    assert parse_commands(body) == CHECK


def test_several_commands_are_read_in_order_and_not_more_than_ten():
    body = "\n".join(f"/pf recheck abcdef{letter}2" for letter in "abcdefghijklmnop")
    found = parse_commands(f"/pf pause\n{body}")
    assert found[:2] == (Command(verb=Verb.PAUSE), Command(verb=Verb.RECHECK, finding="abcdefa2"))
    assert len(found) == 10


def test_a_long_reason_is_cut():
    (found,) = parse_commands(f"/pf dismiss {ID} " + "x" * 9000)
    assert isinstance(found, Command) and len(found.reason) == 500


@given(st.text(alphabet=st.sampled_from("/pf check dismiss>`~<!- \n\r\tab2")))
def test_whatever_is_written_is_read(body):
    for found in parse_commands(body):
        assert isinstance(found, Misread) or found.verb in Verb


@given(st.text(alphabet=st.sampled_from("/pf check>`~\n")))
def test_a_comment_quoted_whole_says_nothing(body):
    assert parse_commands("\n".join(f"> {line}" for line in body.split("\n"))) == ()


COSTLY = [Verb.CHECK, Verb.RECHECK, Verb.DISMISS, Verb.PAUSE, Verb.RESUME]
FREE = [Verb.EXPLAIN, Verb.GRAPH, Verb.HELP]


def standing(permission=None, association="NONE", **more):
    return CommandAuthor(permission=permission, association=association, **more)


@pytest.mark.parametrize("verb", Verb)
@pytest.mark.parametrize("permission", [Permission.ADMIN, Permission.MAINTAIN, Permission.WRITE])
def test_whoever_may_write_may_ask_for_everything(verb, permission):
    assert may(verb, standing(permission))


@pytest.mark.parametrize("verb", COSTLY)
@pytest.mark.parametrize(
    "who",
    [
        standing(),
        standing(association="MEMBER"),
        standing(association="COLLABORATOR"),
        standing(association="CONTRIBUTOR", is_author=True),
        standing(Permission.READ, "OWNER", is_author=True),
        standing(Permission.TRIAGE, "COLLABORATOR"),
        standing(Permission.NONE),
    ],
)
def test_nobody_else_spends_money_or_silences_a_finding(verb, who):
    assert not may(verb, who)


@pytest.mark.parametrize("verb", Verb)
def test_an_owner_may_where_the_permission_is_not_known(verb):
    assert may(verb, standing(association="OWNER"))


@pytest.mark.parametrize("verb", FREE)
def test_authors_and_contributors_may_ask_what_costs_nothing_and_strangers_may_not(verb):
    assert may(verb, standing(Permission.READ, is_author=True))
    assert may(verb, standing(Permission.READ, "CONTRIBUTOR"))
    assert may(verb, standing(Permission.TRIAGE))
    assert not may(verb, standing(Permission.READ))
    assert not may(verb, standing(association="FIRST_TIME_CONTRIBUTOR"))


@pytest.mark.parametrize("verb", Verb)
def test_a_program_gives_no_commands(verb):
    assert not may(verb, standing(Permission.ADMIN, "OWNER", is_bot=True))
