"""Where a page's script draws the graph: its controls, a list of the same, a legend."""

from html import escape

from pfcore.reporters.html.states import StatusLook


def canvas() -> str:
    """The section of the graph."""
    return (
        '<section class="band" id="graph" aria-labelledby="h-graph">'
        '<h2 id="h-graph">Graph <small>what rests on what</small></h2>'
        '<form id="controls"><label>Result <input id="focus" list="names" autocomplete="off">'
        '</label><datalist id="names"></datalist>'
        '<label>Show <select id="dir"><option value="up">what it rests on</option>'
        '<option value="down">what rests on it</option><option value="both">both</option></select>'
        '</label><label>Depth <select id="depth"><option>1</option><option>2</option>'
        '<option>3</option><option>5</option><option value="99">all</option></select></label>'
        '<label><input type="checkbox" id="words"> also what is used by its words alone</label>'
        '</form><p id="said" role="status"></p><div id="canvas" tabindex="0" role="region" '
        'aria-label="Drawing of the graph"></div>'
        '<details id="list"><summary>The same as a list</summary><ul></ul></details>'
        f'<ul class="legend" aria-label="Legend">{_legend()}'
        "<li>box: definition; round: result; an arrow leads to what is used</li></ul></section>"
    )


def _legend() -> str:
    """Every sign and colour in words."""
    return "".join(
        f'<li><span class="key {state.value.name}" aria-hidden="true">{state.value.glyph}</span> '
        f"{escape(state.value.words)}</li>"
        for state in StatusLook
    )
