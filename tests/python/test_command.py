"""The trace-lanefix command and python -m trace_lanefix."""
import json
import os
import subprocess
import sys

import pytest


def run(*arguments, **more):
    return subprocess.run([sys.executable, "-m", "trace_lanefix", *map(str, arguments)],
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **more)


def test_defaults(tmp_path, path):
    done = run(cwd=tmp_path)
    assert done.returncode == 0 and done.stderr == ""
    assert done.stdout.startswith("processing 2 track(s)\n")
    assert done.stdout.endswith("wrote trace.fixed.json: 5 slices, 1 new lanes\n")
    text = (tmp_path / "trace.fixed.json").read_text()
    assert text.rstrip("\n") == json.dumps(json.loads(text), indent=2)


def test_arguments(tmp_path, path):
    done = run(path, tmp_path / "o.json", "--snap-threshold-us", "0.25")
    assert done.returncode == 0 and "snapped slices" not in done.stdout
    done = run("--snap-threshold-us=2.5", path, tmp_path / "o.json")
    assert "sub-2.5us" in done.stdout


def test_script_is_installed(path, tmp_path):
    script = os.path.join(os.path.dirname(sys.executable), "trace-lanefix")
    if not os.path.exists(script):
        pytest.skip("not installed in a venv")
    assert subprocess.run([script, path, tmp_path / "o"], stdout=subprocess.DEVNULL).returncode == 0


@pytest.mark.parametrize("arguments", [["a", "b", "c"], ["--bogus"], ["--snap-threshold-us", "-1"],
                                       ["--snap-threshold-us", "x"], ["--snap-threshold-us", "nan"],
                                       ["--snap-threshold-us"]])
def test_usage(tmp_path, path, arguments):
    done = run(*arguments, cwd=tmp_path)
    assert done.returncode == 2 and done.stdout == ""
    assert "usage: trace-lanefix" in done.stderr
    assert not (tmp_path / "trace.fixed.json").exists()


def test_failures(tmp_path):
    (tmp_path / "bad.json").write_text("{}")
    for name in ("missing.json", "bad.json"):
        done = run(name, cwd=tmp_path)
        assert done.returncode == 1 and done.stdout == ""
        assert done.stderr.count("\n") == 1 and name in done.stderr
        assert not (tmp_path / "trace.fixed.json").exists()
