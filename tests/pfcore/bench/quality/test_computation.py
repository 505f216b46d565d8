"""The measurement of the computation check prints what it saw."""

from pfcore.bench.quality import computation


def test_it_prints_counts_alarms_and_recall(tmp_path, capsys, document):
    folder = tmp_path / "one"
    folder.mkdir()
    (tmp_path / "empty").mkdir()
    body = (
        r"$y = (a-b)^2 = a^2 - 2ab - b^2 = z$ and $z = (a_{1+1}+b)^2 = a_{1+1}^2+2a_{1+1}b+b^2 = y$"
    )
    (folder / "main.tex").write_text(document(body))
    assert computation.main([str(tmp_path)]) == 0
    printed = capsys.readouterr().out
    assert "one/main.tex: 6 equalities, 6 links read, 2 behind the gates, 1 alarms" in printed
    assert "main.tex:8:6 (a-b)^2 = a^2 - 2ab - b^2" in printed
    assert "it holds with + before b^2" in printed
    assert "(100%) behind the gates" in printed
