"""One HTML page with the pictures and tables of some runs; it needs no other file."""

from base64 import b64encode
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape

from pfcore.bench.scoring.canvas import Picture
from pfcore.bench.scoring.tables import ReportTable

_CSS = """
:root { color-scheme: light dark; --line: #8885; --pale: #8881; }
body { font: 15px/1.45 system-ui, sans-serif; margin: 2rem auto; max-width: 1150px;
  padding: 0 1rem }
h1 { font-size: 1.5rem } h2 { font-size: 1.2rem; margin-top: 2.4rem }
figure { margin: 1.2rem 0 } figcaption, .about { font-size: .85rem; opacity: .85 }
img { background: #fff; max-width: 100%; height: auto }
.scroll { overflow-x: auto }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; margin: .6rem 0 }
caption { text-align: left; font-weight: 600; padding-bottom: .3rem }
th, td { padding: .18rem .7rem; text-align: right; border-bottom: 1px solid var(--line);
  white-space: nowrap }
th:first-child, td:first-child, th:nth-child(2), td:nth-child(2) { text-align: left }
thead th { white-space: normal; vertical-align: bottom } tbody tr:nth-child(even) {
  background: var(--pale) }
ul.about { margin: .2rem 0; padding-left: 1.2rem }
.warning { border-left: 4px solid #D55E00; padding: .3rem .8rem }
""".strip()


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportSection:
    """The pictures and tables of one benchmark; `warnings` come first, `runs` names each run."""

    title: str
    runs: Sequence[str]
    pictures: Sequence[Picture]
    tables: Sequence[ReportTable]
    warnings: Sequence[str] = ()


def run_page(title: str, sections: Sequence[ReportSection]) -> str:
    """The page; what runs say of themselves is text in it, whatever it holds."""
    body = "\n".join(line for section in sections for line in _section_html(section))
    return (
        f'<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(title)}</title>\n<style>\n{_CSS}\n</style>\n</head>\n"
        f"<body>\n<h1>{escape(title)}</h1>\n{body}\n</body>\n</html>\n"
    )


def _section_html(section: ReportSection) -> Iterator[str]:
    yield f"<section>\n<h2>{escape(section.title)}</h2>"
    for warning in section.warnings:
        yield f'<p class="warning">{escape(warning)}</p>'
    for picture in section.pictures:
        data = b64encode(picture.data["svg"]).decode()
        words = escape(picture.words)
        yield (
            f'<figure><img alt="{words}" src="data:image/svg+xml;base64,{data}">'
            f"<figcaption>{words}</figcaption></figure>"
        )
    for table in section.tables:
        yield from _table(table)
    yield "</section>"


def _table(table: ReportTable) -> Iterator[str]:
    yield f'<div class="scroll"><table>\n<caption>{escape(table.title)}</caption>\n<thead><tr>'
    yield "".join(f'<th scope="col">{escape(cell)}</th>' for cell in table.head)
    yield "</tr></thead>\n<tbody>"
    for row in table.rows:
        yield "<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>"
    yield "</tbody></table></div>"
    listed = "".join(f"<li>{escape(line)}</li>" for line in (*table.about, *table.notes))
    yield f'<ul class="about">{listed}</ul>'
