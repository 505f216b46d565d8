import pytest

from pfcore.latex.project.documents import (
    Aside,
    Root,
    classes_of,
    documents,
    documents_with,
    find_documents,
    join_documents,
    names_in,
    readers_by_stem,
)
from pfcore.latex.project.survey import Survey, survey_file


def surveys(**texts: str) -> dict[str, Survey]:
    return {name.replace("__", "/") + ".tex": survey_file(text) for name, text in texts.items()}


ARTICLE = r"\documentclass{article}\begin{document}\end{document}"
NOTHING: frozenset[str] = frozenset()


def roots_of(
    reached: dict[str, frozenset[str]] | None = None, **texts: str
) -> tuple[list[Root], list[Aside]]:
    found = surveys(**texts)
    reaching = {path: (reached or {}).get(path, NOTHING) for path in found}
    return find_documents(found, classes_of(found), reaching)


def test_a_file_with_class_and_body_is_a_document() -> None:
    found, asides = roots_of(
        a=ARTICLE, b=r"\documentclass{article}", c="text", d=ARTICLE.replace("article", "letter")
    )
    assert found == [Root(path="a.tex")]
    assert asides == []


BODY = r"\begin{document}\begin{theorem}x\end{theorem}\end{document}"


@pytest.mark.parametrize(
    ("texts", "root"),
    [
        ({"main": r"\input{head}" + BODY, "head": r"\documentclass{article}"}, "main.tex"),
        ({"main": r"\newcommand{\dc}{\documentclass{article}}\dc" + BODY, "abel": "x"}, "main.tex"),
        ({"main": "%&own\n" + BODY, "own": r"\documentclass{article}\dump", "abel": "x"},
         "main.tex"),
        ({"book": r"\begin{document}\input{one}\end{document}", "abel": "x", "one": BODY[16:]},
         "book.tex"),
    ],
    ids=["in a file", "behind a macro", "precompiled", "nowhere"],
)  # fmt: skip
def test_the_class_of_a_document_may_stand_elsewhere(texts: dict[str, str], root: str) -> None:
    found, asides = documents(surveys(**texts))
    assert (found[0].path, asides) == (root, [])


def test_a_body_that_another_document_reads_in_is_no_document() -> None:
    part = r"\begin{document}\begin{lemma}x\end{lemma}\end{document}"
    found, _ = documents(
        surveys(main=ARTICLE.replace("{document}", "{document}\\input{p}", 1), p=part)
    )
    assert [root.path for root in found] == ["main.tex"]


def test_slides_and_old_copies_are_left_aside() -> None:
    found, asides = roots_of(
        a=ARTICLE, talk=ARTICLE.replace("article", "beamer"), old__a=ARTICLE, a_old=ARTICLE
    )
    assert found == [Root(path="a.tex")]
    assert [(aside.path, aside.reason) for aside in asides] == [
        ("a_old.tex", "old copy"),
        ("old/a.tex", "old copy"),
        ("talk.tex", "slides"),
    ]


def test_an_old_copy_is_read_where_there_is_nothing_else() -> None:
    assert roots_of(old=ARTICLE)[0] == [Root(path="old.tex")]


def test_what_only_a_name_calls_old_is_read_where_no_other_document_has_its_text() -> None:
    titles = {
        "main.tex": {"A", "B", "C"},
        "archive/main.tex": {"A", "D", "E"},
        "old/main.tex": {"A", "B", "E"},
        "archive2020/one.tex": {"F"},
        "archive2021/one.tex": {"F"},
        "main-old.tex": {"G"},
    }
    found = {path: survey_file(ARTICLE) for path in titles}
    roots, asides = documents(found, names=lambda path: frozenset(titles[path]))
    assert [root.path for root in roots] == [
        "archive/main.tex",
        "archive2021/one.tex",
        "main.tex",
    ]
    assert {aside.path for aside in asides} == titles.keys() - {root.path for root in roots}


def test_the_names_of_a_text_are_its_labels_and_titles() -> None:
    text = "\\section[x]{On  sums}\\label{s}\n%\\label{no}\n\\subsection*{B}\\label{s}\\title{B}"
    assert names_in(text) == ("On sums", "s", "B", "title: B")


def test_slides_are_read_each_for_itself_where_there_is_nothing_else() -> None:
    slides = ARTICLE.replace("article", "beamer")
    assert roots_of(one=slides, two=slides, old_one=slides, macros="text") == (
        [Root(path="one.tex"), Root(path="two.tex")],
        [Aside(path="old_one.tex", reason="old copy")],
    )


def test_of_documents_that_share_their_text_the_likeliest_is_kept() -> None:
    shared = frozenset({"body.tex"})
    found, asides = roots_of(
        {"web.tex": shared, "print.tex": shared}, web=ARTICLE, print=ARTICLE, other=ARTICLE
    )
    assert [root.path for root in found] == ["other.tex", "print.tex"]
    assert asides == [Aside(path="web.tex", reason="same results as print.tex")]


def test_a_document_whose_sources_are_all_those_of_another_one_is_left_aside() -> None:
    main = ARTICLE.replace("\\end", "\\input{part}\\end", 1)
    texts = {"main": main, "part": "A", "arxiv__main": main, "arxiv__part": "A"}
    texts |= {"own__main": main, "own__part": "B", "bare__main": main}
    files = surveys(**texts)
    content = {name.replace("__", "/") + ".tex": text for name, text in texts.items()}
    found, asides = documents(files, content=content.__getitem__)
    assert found == [Root(path="main.tex"), Root(path="own/main.tex")]
    assert asides == [
        Aside(path="arxiv/main.tex", reason="same results as main.tex"),
        Aside(path="bare/main.tex", reason="same results as main.tex"),
    ]
    assert documents(files)[1] == []


SUBFILE = r"\documentclass[%s]{subfiles}\begin{document}\end{document}"


def test_a_subfile_belongs_to_the_document_that_it_names() -> None:
    found, _ = roots_of(
        {"main.tex": frozenset({"in.tex"})},
        main=ARTICLE,
        other=ARTICLE,
        loose=SUBFILE % "main",
        **{"in": SUBFILE % "main"},
    )
    assert found == [Root(path="main.tex", attached=("loose.tex",)), Root(path="other.tex")]


def test_a_part_that_a_macro_s_folder_reads_in_is_no_document() -> None:
    main = r"\documentclass{book}\begin{document}\subfile{\main/tex/one.tex}\end{document}"
    one = r"\providecommand{\main}{..}\begin{document}\begin{lemma}A\end{lemma}\end{document}"
    files = surveys(main=main, tex__one=one, tex__two=one)
    assert list(classes_of(files)) == ["main.tex", "tex/two.tex"]


def test_a_subfile_that_names_nothing_belongs_to_the_nearest_document() -> None:
    found, _ = roots_of(main=ARTICLE, x__sub=ARTICLE, x__loose=SUBFILE % "nowhere")
    assert found == [Root(path="main.tex"), Root(path="x/sub.tex", attached=("x/loose.tex",))]


def test_a_subfile_without_any_document_is_one() -> None:
    assert roots_of(x=SUBFILE % "main")[0] == [Root(path="x.tex")]
    assert roots_of(a__main=ARTICLE, b__x=SUBFILE % "main")[0] == [
        Root(path="a/main.tex"),
        Root(path="b/x.tex"),
    ]


def test_documents_that_cite_each_others_labels_are_one_paper() -> None:
    roots = [Root(path="b.tex"), Root(path="c.tex", attached=("d.tex",)), Root(path="main.tex")]
    named = {"b.tex": frozenset({"main.tex"}), "main.tex": frozenset({"c.tex"})}
    assert join_documents(roots, named) == [
        Root(path="main.tex", attached=("b.tex", "c.tex", "d.tex"))
    ]
    assert join_documents(roots, {}) == roots


def test_a_file_that_only_begins_a_document_is_none_itself() -> None:
    begin = r"\documentclass{article}\begin{document}"
    sheet = r"\input{top}\begin{lemma}\end{lemma}\end{document}"
    found = {"top.tex": begin, "one.tex": sheet, "two.tex": sheet, "part.tex": r"\input{other}"}
    surveys = {path: survey_file(text) for path, text in found.items()}
    assert classes_of(surveys) == {"one.tex": "article", "two.tex": "article"}
    surveys["top.tex"] = survey_file(begin + r"\input{text}")
    assert list(classes_of(surveys)) == ["top.tex"]


def test_a_document_may_begin_in_a_file_with_its_abstract() -> None:
    head = (
        r"\documentclass{article}\newenvironment{why}{\begin{proof}}{\end{proof}}"
        r"\begin{document}\begin{abstract}x\end{abstract}\maketitle"
    )
    found, asides = documents(
        surveys(main=r"\input{head}\input{one}\end{document}", head=head, one="x")
    )
    assert ([root.path for root in found], asides) == (["main.tex"], [])


@pytest.mark.parametrize("head", [r"\documentclass{article}", r"\input{head}"])
def test_a_document_may_begin_in_a_file_that_it_reads_in(head: str) -> None:
    found = {
        "body.tex": r"\begin{document}\begin{lemma}\end{lemma}",
        "head.tex": r"\documentclass{article}",
        "main.tex": head + r"\input{body}\begin{lemma}\end{lemma}\end{document}",
    }
    surveys = {path: survey_file(text) for path, text in found.items()}
    assert classes_of(surveys) == {"main.tex": "article"}


def test_the_documents_with_many_files_are_found_in_one_reading_of_them() -> None:
    class Once(dict[str, Survey]):
        asked = 0

        def items(self):
            self.asked += 1
            return super().items()

    found = {f"p{n}": rf"\input{{p{n + 1}}}\input{{x/p{(7 * n) % 30}}}" for n in range(30)}
    read = Once(surveys(main=r"\begin{document}\input{p3}", **found, notes=r"\input{notes}"))
    readers = readers_by_stem(read)
    assert documents_with("p4.tex", read, readers) == ["main.tex"]
    assert documents_with("main.tex", read, readers) == ["main.tex"]
    assert documents_with("notes.tex", read, readers) == []
    assert read.asked == 1
