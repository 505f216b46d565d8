"""Of what a canonical text is made, as far as a page tells it apart."""

import re

_DEPTH = 5


def _group(depth: int) -> str:
    """A pattern for a group in braces with groups in it, so many deep, of a bounded length."""
    inner = _group(depth - 1) if depth else r"\\."
    return rf"\{{(?:\\.|[^\\{{}}]|{inner}){{0,2000}}+\}}"


_GROUP = _group(_DEPTH)
_DISPLAYED = "equation align gather multline eqnarray alignat flalign displaymath math".split()
SINGLE = frozenset({"equation", "displaymath", "math"})
FENCE = re.compile(
    rf"\\begin\{{[A-Za-z]*(?P<kind>{'|'.join(_DISPLAYED)})\*?\}}(?:\[[^\]]*\])?(?:\{{\d+\}})?"
)
INTERTEXT = re.compile(rf"\\(?:short)?intertext\s*({_GROUP})")
DIAGRAM = re.compile(r"\\begin\{[^{}]*(?:tikz|picture|diagram|xy|prooftree|forest)|\\xymatrix")
_DRAWN = (
    r"[^{}]*(?:tikz|tabular|array|prooftree|forest|tableau|derivation|picture|diagram|figure|table|"
    r"verbatim|listing|code|xy)[^{}]*"
)
TOKEN = re.compile(
    rf"""\x02(?P<mention>\d+)\x03
    |(?P<mark>\x04\d+\x05|[\x00-\x1f])
    |(?P<display>\\\[(?:(?!\\\[).)*?\\\]|\$\$.*?\$\$
        |\\begin\{{(?P<env>[A-Za-z]*(?:{"|".join(_DISPLAYED)})\*?)\}}
            (?:(?!\\begin\{{(?P=env)\}}).)*?\\end\{{(?P=env)\}})
    |(?P<maths>\$(?:\\.|[^$\\{{}}]|{_GROUP})*+\$|\$(?:\\.|[^$\\])*\$|\\\((?:(?!\\\().)*?\\\)
        |\\ensuremath\s*{_GROUP})
    |(?P<drawn>\\begin\{{(?P<what>{_DRAWN})\}}.*?\\end\{{(?P=what)\}})
    |\\begin\{{(?P<begin>[^{{}}]*)\}}(?:\[[^\]]*\])?
    |\\end\{{(?P<end>[^{{}}]*)\}}
    |(?P<item>\\item(?![A-Za-z])\s*(?:\[(?P<label>[^\]]*)\])?)
    |\\(?P<font>emph|textit|textbf|textsl|texttt|textrm|textsc|textnormal|textup|text|mbox|hbox
        |underline|fbox|framebox|(?:table)?footnote)\s*\{{
    |\\(?P<code>url|path|nolinkurl|includegraphics)\*?\s*(?:\[[^\]]*\])?\{{(?P<name>[^{{}}]*)\}}
    |\\macro\{{[0-9a-f]{{8}}\}}(?P<opaque>(?:{_GROUP})*+)
    |\\(?P<verb>verb)\*?(?P<fence>[^A-Za-z\s*])(?P<typed>[^\n]*?)(?P=fence)
    |\\(?P<idle>(?:(?:index|[vh]space\*?|color|setlength\s*{_GROUP}|addtolength\s*{_GROUP})\s*{_GROUP})
        |(?:href|textcolor|colorbox|scalebox|raisebox|parbox|rotatebox|hyperlink|hypertarget
            |(?:resizebox\*?|fcolorbox)\s*{_GROUP})\s*(?:\[[^\]]*\])*\s*{_GROUP}(?=\s*\{{))
    |\\cite[A-Za-z]*\*?\s*(?:\[(?P<note>[^\]]*)\])?(?:\[[^\]]*\])?\{{(?P<cite>[^{{}}]*)\}}
    |(?P<accent>\\["'`^~=.]\s*(?:\{{\\?[A-Za-z]\}}|\\?[A-Za-z])|\\[cvuHk]\s*\{{[A-Za-z]\}})
    |(?P<command>\\[A-Za-z]+\*?[ ]?|\\.)
    |(?P<brace>[{{}}])
    |(?P<sign>---?|``|''|~)
    |(?P<words>[^\\${{}}~`'\x00-\x1f-]+|.)""",
    re.DOTALL | re.VERBOSE,
)
