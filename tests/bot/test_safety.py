"""Whatever a paper or a model says is text on GitHub: read by a true parser of Markdown."""

import re
from dataclasses import replace

import pytest
from markdown_it import MarkdownIt

from bot.domain import comment
from bot.domain.comment import CommentCaps, Diff
from bot.domain.review_result import PublishedReview, ReviewPart
from bot.publishing.pull_comments import compose
from bot.publishing.review_checks import checks, wanted_comments
from bot.reviewing import command_replies
from bot.reviewing.build_result import ResultTerms
from bot.reviewing.build_result import result_of_failure as not_reviewed
from bot.reviewing.build_result import result_of_review as kept
from bot.reviewing.pull_review import review_proofs, review_structure
from pfcore.domain.errors import ConfigError
from pfcore.reporters.formats.publication import publication
from pfcore.reporters.printing import code, paragraphs, prose
from tests.bot.readers import ALL, A, objecting, subject
from tests.pfcore.cli.conftest import LEMMA

HEAD = "a" * 40
HOSTILE = [
    "@mallory",
    "@org/team please",
    "a@b.org",
    "#1",
    "closes #1",
    "fixes GH-12",
    "resolves o/r#12",
    "o/r@deadbeef",
    "https://evil.example/x.png",
    "HTTP://EVIL.EXAMPLE",
    "www.evil.example",
    "mailto:a@b.org",
    "[click](https://evil.example)",
    "[click](javascript:alert(1))",
    "![x](https://evil.example/x.png)",
    "[a]: https://evil.example",
    "<img src=https://evil.example/x.png>",
    "<a href='https://evil.example'>x</a>",
    "<https://evil.example>",
    "<script>alert(1)</script>",
    "</details></details>",
    "<details open>",
    "</summary>",
    "--> <!-- pf-verify:finding id=aaaaaaaa by=check h=aaaaaaaaaaaa state=resolved -->",
    "<!-- pf-verify:finding id=summary by=check h=aaaaaaaaaaaa state=open -->",
    "<!-- hidden",
    "```\nout\n```",
    "````",
    "~~~\nout\n~~~",
    "``` mermaid\ngraph BT\n```",
    "$```$",
    "$`x`$ and $`",
    "\\[a\n```\n# b\\]",
    "$$ \\href{https://evil.example}{x} @mallory #1 $$",
    "$\\includegraphics{https://evil.example/x.png}$",
    "$a|b$ | c | d |",
    "$a`@mallory <b> ![x](https://evil.example)`b$",
    "$a\\$ `@mallory #1 [x](y) $",
    "$$a\n```\n@mallory ![x](https://evil.example)\n```\n$$",
    "\n\n# Title\n\n",
    "Title\n=====\n",
    "Title\n-----\n",
    "- item\n- item",
    "12. item",
    "* * *",
    "> quote",
    "\t    code",
    "| a | b |\n|---|---|\n| c | d |",
    "**bold** _it_ ~~no~~ `code`",
    "/merge\n/pf dismiss aaaaaaaa",
    "\\*not\\* &lt;b&gt; &amp;#64;",
    "&#60;img src=x&#62;",
    "a\u202eb\u2066c\x1b[31m\x00d\u200b@mallory",
    "\u2028# x\u2029@mallory\x85@mallory\x0b@mallory",
    "[^1]: note [^1]",
    ":octocat: ==x== ^x^",
    "\ud800 lone",
    "https:&#8203;//x.org",
    "ftp://evil.example",
    "x" * 3_000,
]

_PARSER = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])
_TAGS = re.compile(r"</?(?:details|summary|sub|code)>")
_OURS = {
    *("paragraph", "heading", "table", "thead", "tbody", "tr", "th", "td", "strong", "blockquote"),
    *("bullet_list", "list_item", "fence", "inline", "text", "code_inline", "softbreak"),
    *("html_block", "html_inline", "em"),
}
"""What our own words are made of; there is no link and no image among it."""
_TITLE = re.compile(r"(?:pf-verify: |main|one|two)")
_CALLING = re.compile(
    r"(?<!\w)@\w|#\d|\bGH-\d|\bwww\.|://|(?:clos|fix|resolv)\w* [#\w/]*#\d", re.IGNORECASE
)


def inert(body, *, is_marked=True):
    """Asserts that a body has nothing but our own marks, tags and fences."""
    if is_marked:
        mark = comment.read_mark(body)
        assert mark is not None
        assert body.count("<!--") == 1
        body = comment.without_mark(body)
    assert "<!--" not in body
    depth = 0
    for token in _flat(_PARSER.parse(body)):
        kind = re.sub(r"_(?:open|close)$", "", token.type)
        assert kind in _OURS, (kind, token.content)
        if kind == "heading" and token.type.endswith("open"):
            assert token.tag in ("h3", "h4")
        if kind in ("html_block", "html_inline"):
            left = _TAGS.sub("", token.content)
            assert not re.search(r"[<>]", left), token.content
            assert not _CALLING.search(left)
            depth += token.content.count("<details>") - token.content.count("</details>")
            assert depth >= 0
        if kind == "text":
            assert not _CALLING.search(token.content), token.content
            assert not re.search("[\u202a-\u202e\u2066-\u2069\x1b\x00]", token.content)
        if kind == "fence":
            assert token.info in ("math", "mermaid", "diff", "")
        if kind == "fence" and token.info == "math":
            assert not re.search(r"\\(?:href|includegraphics)\b|@m|#1|://", token.content)
    assert depth == 0
    assert not re.search(r"(?m)^/\w", body)


def _flat(tokens):
    for token in tokens:
        yield token
        yield from _flat(token.children or ())


@pytest.fixture
def said(reviewed, document):
    """All bodies about a review in which everything that can be hostile is."""
    body = LEMMA % ("a", "A", r"By \ref{gone}.") + LEMMA % ("b", "B", r"By \ref{a}.")
    report = reviewed(
        {"main.tex": document(body)}, {"main.tex": document(body.replace("A.", "Old A."))}
    )
    (paper,) = report.papers
    findings = paper.findings

    def run(text, diff, **changes):
        changed = tuple(replace(item, **changes) for item in findings)
        vars(paper)["findings"] = changed
        vars(paper)["objections"] = changed
        modules = paper.state.document.modules
        before = dict(modules)
        for name, module in before.items():
            modules[name] = module._replace(title=text, kind=module.kind)
        try:
            made = publication(report, head=HEAD, status=1, is_private=False, ledgers={})
            told = compose(report, made, diff, CommentCaps())
            found = [item.body for item in told.comments]
            plain = [command_replies.graph_reply(report, is_private=False)]
            plain += [
                command_replies.explained(report, item.id, is_private=False) for item in changed[:1]
            ]
            return found, plain, told.annotations
        finally:
            modules.update(before)
            for name in ("findings", "objections"):
                vars(paper).pop(name)

    return run


@pytest.mark.parametrize("diff", [ALL, Diff({"main.tex": ((1, 1),)}), Diff({})])
@pytest.mark.parametrize("name", ["", "dismissed", "introduced"])
def test_nothing_hostile_gets_through(said, name, diff):
    for text in HOSTILE:
        every = dict.fromkeys(("message", "reason", "quote", "rule", "reopened"), text)
        more = {name: False if name == "introduced" else text} if name else {}
        bodies, plain, notes = said(text, diff, **every, **more)
        assert bodies
        for body in bodies:
            inert(body)
        for body in plain:
            inert(body, is_marked=False)
        for note in notes:
            assert "\n" not in note.title + note.message
            assert (note.title + note.message).isprintable()


@pytest.mark.parametrize("text", HOSTILE)
def test_every_renderer_of_text_is_safe_by_itself(text):
    inert(f"{prose(text)}\n", is_marked=False)
    inert(f"| {prose(text)} | {code(text)} |\n|---|---|\n", is_marked=False)
    inert(f"- {code(text)} {prose(text)}\n", is_marked=False)
    inert(f"> {prose(text)}\n", is_marked=False)
    inert(f"{paragraphs(text)}\n", is_marked=False)
    inert(f"{command_replies.refused(text)}\n", is_marked=False)
    tokens = _PARSER.parse(f"before\n\n{command_replies.fenced(text)}\n\nafter")
    assert [token.type for token in tokens if token.type == "fence"] == ["fence"]
    assert tokens[-2].content == "after"


@pytest.mark.parametrize("text", HOSTILE)
def test_a_failure_is_told_as_text(text):
    terms = ResultTerms(
        part=ReviewPart.STRUCTURE,
        subject=subject(None, HEAD, HEAD),
        caps=CommentCaps(),
        is_private=False,
    )
    made = not_reviewed(ConfigError(text, path=text), terms)
    (only,) = made.words.comments
    inert(only.body)
    inert(made.summary, is_marked=False)
    again = type(made).model_validate_json(made.text())
    assert again == made


@pytest.mark.parametrize(
    "text", ["; ".join(HOSTILE[:20]), " ".join(HOSTILE[20:-1]), *HOSTILE[23:26]]
)
def test_a_hostile_model_is_heard_as_text(commits, bare, kit, text):
    line = " ".join(text.encode("utf-8", "ignore").decode().split())
    base, head = commits(A), commits(A.replace("Clear.", "Dividing by $x$ it is clear."))
    llm = kit(objecting("Dividing by $x$", line or "x"))
    told = PublishedReview(
        structure=review_structure(bare, subject(base, head), llm, ALL),
        proofs=review_proofs(bare, subject(base, head), llm, ALL),
    )
    said = wanted_comments(told).comments
    assert said
    for item in said:
        inert(item.body)
    for check in checks(told):
        inert(check.summary, is_marked=False)


def test_a_paper_whose_names_are_hostile_is_shown_as_text(reviewed, document):
    lemma = LEMMA % ("@x|`<b>-->", "A", r"By \ref{@gone|`<!--}.")
    files = {"one `@a` <b>|.tex": document(lemma), "two/x.tex": document(lemma)}
    terms = ResultTerms(
        part=ReviewPart.STRUCTURE,
        subject=subject(HEAD, HEAD),
        caps=CommentCaps(),
        is_private=False,
    )
    found = kept(reviewed(files), Diff({}), terms)
    inert(found.words.comments[-1].body)
    inert(found.summary, is_marked=False)
    assert type(found).model_validate_json(found.text()) == found
