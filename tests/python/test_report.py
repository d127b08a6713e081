"""The report's text is the program's."""
import json
import subprocess
import sys

import pytest
import trace_lanefix as t


def both(program, tmp_path, source):
    """The report of trace-lanefix, and of the package."""
    out = str(tmp_path / "out.json")
    want = subprocess.run([program("trace-lanefix"), str(source), out], stdout=subprocess.PIPE,
                          check=True).stdout
    with open(out, "rb") as file:
        written = file.read()
    report = t.fix(source, out, max_lanes=0, annotate=False, pretty=True)
    with open(out, "rb") as file:
        same = file.read() == written
    assert same, source  # pytest would compare tens of MB line by line
    return want, report.text().encode()


def test_small(program, tmp_path, path):
    want, got = both(program, tmp_path, path)
    assert got == want


def test_odd(program, tmp_path):
    names = ["plain", "x" * 159, "x" * 156, "\u20ac" * 60, "a\\tb", "\u0085c1", "tab\t", "\U0001f680" * 50]
    events = [{"ph": "X", "cat": "kernel", "name": n, "pid": "p \u00e4", "tid": -3 - i % 2,
               "ts": 100 * (i // 2) + 30 * (i % 2), "dur": 100.0005 + i / 1000}
              for i, n in enumerate(names * 3)]
    events += [{"ph": "X", "name": "neg", "pid": 1, "tid": 0, "ts": 5, "dur": -4},
               {"ph": "X", "name": "bad", "pid": 1, "tid": 0, "ts": "?", "dur": 4}]
    text = json.dumps(events, ensure_ascii=False).replace("tab\\t", "tab\t")
    source = tmp_path / "odd.json"
    source.write_bytes(text.encode()[:-1].replace(b"plain", b"pl\xffain \xed\xa0\x80"))
    want, got = both(program, tmp_path, source)
    assert b"not closed" in want and got == want


def test_real(program, tmp_path, real_traces):
    for source in real_traces:
        want, got = both(program, tmp_path, source)
        same = got == want
        assert same, source


def test_check_text(program, path):
    done = subprocess.run([program("lanefix"), "--check", "-v", str(path)], stderr=subprocess.PIPE)
    assert t.check(path).text().encode() == done.stderr


def test_lines_are_limited(path):
    report = t.check(path)
    assert "more" not in report.text()
    assert report.text(max_lines=0).count("\u2026 and 1 more") == 4


@pytest.mark.parametrize("encoding", ["utf-8", "ascii", "latin-1"])
def test_stdout_that_cannot_show_all(tmp_path, encoding):
    source = tmp_path / "in.json"
    source.write_text(json.dumps([{"ph": "X", "name": "\u20ac", "pid": 1, "tid": 1, "ts": ts, "dur": 100}
                                  for ts in (0, 50)], ensure_ascii=False), encoding="utf-8")
    code = f"import trace_lanefix as t; t.fix_overlaps({str(source)!r}, {str(tmp_path / 'o.json')!r})"
    done = subprocess.run([sys.executable, "-c", code], stdout=subprocess.PIPE, check=True,
                          env={"PYTHONIOENCODING": encoding})
    shown = "\u20ac" if encoding == "utf-8" else "\\u20ac"
    assert f"{shown} pid=1: moved".encode(encoding) in done.stdout
