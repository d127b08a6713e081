"""The Python of README.md runs."""
import re


def test_readme(top, path, tmp_path, monkeypatch, capsys):
    section = re.search(r"^## Python\n(.*?)^(?=## |src/)", (top / "README.md").read_text(), re.M | re.S)[1]
    code = section[section.index("    from trace_lanefix"):]
    code = "\n".join(line[4:] for line in code.splitlines() if line.startswith("    "))
    monkeypatch.chdir(tmp_path)
    exec(compile(code, "README.md", "exec"), {})
    assert "gemm_b 7 7001 " in capsys.readouterr().out
    assert (tmp_path / "again.json").read_bytes() == path.read_bytes()
