"""What the report shows raw is counted: formulas, commands in prose, keys."""

from pfcore.bench.quality.typesetting import main, typeset_score

TEXT = r"""\documentclass{article}\newtheorem{lemma}{Lemma}\begin{document}
\begin{lemma}\label{a} $x$ and $\strange{y}$, $\odd + 1$. By \ref{sec:none}, \unheard{x}.\end{lemma}
\begin{proof} $y$. \begin{tikzpicture} A \end{tikzpicture} \end{proof}\end{document}"""


def test_formulas_commands_keys_and_drawings_are_counted():
    score = typeset_score(
        [
            '<math display="inline"><mi>x</mi></math> by [sec:x] <code class="tex">\\a</code>',
            '<math><mtext class="tex">\\b</mtext></math><code class="tex">$\\c{x}$</code> [x]',
            "<math><mi>a</mi><mi>&amp;</mi></math>",
            "<details><summary>a diagram, as LaTeX</summary><pre>x</pre></details>",
        ]
    )
    assert score.formulas == 4
    assert dict(score.raw) == {"\\b": 1, "$\\c{x}$": 1, "&": 1}
    assert dict(score.commands) == {"\\a": 1}
    assert dict(score.keys) == {"[sec:x]": 1}
    assert score.drawings == 1
    assert score.share == 75
    assert typeset_score([]).share == 0


def test_a_folder_is_a_line(tmp_path, capsys):
    (tmp_path / "main.tex").write_text(TEXT)
    assert main([str(tmp_path), "-v"]) == 0
    head, line, *listed = capsys.readouterr().out.splitlines()
    assert head.split() == ["folder", "formulas", "raw", "%", "commands", "keys", "drawn"]
    assert line.split()[1:] == ["4", "2", "50.00", "1", "1", "1"]
    assert "        1 \\strange" in listed
