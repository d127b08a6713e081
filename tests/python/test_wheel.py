"""The wheel by itself: installed in a fresh venv, without a compiler, a network or the sources."""
import os
import subprocess
import sys
import zipfile

import pytest

CHECK = """
import sys, trace_lanefix as t
assert t.__file__.startswith(sys.prefix), t.__file__
data, report = t.fix_bytes(open(sys.argv[1], "rb").read(), compress=sys.argv[2])
assert report.counters.moved == 1, report
assert t.undo_bytes(data) == open(sys.argv[1], "rb").read()
maps = {line.split()[-1] for line in open("/proc/self/maps") if "/" in line}
codecs = [m for m in maps if any(n in m.rsplit("/", 1)[1] for n in ("lanefix", "zstd", "isal"))]
outside = [m for m in codecs if not m.startswith(sys.prefix)]
assert codecs and not outside, (codecs, outside)
"""


@pytest.fixture(scope="module")
def wheel():
    found = os.environ.get("LANEFIX_WHEEL")
    if not found:
        pytest.skip("LANEFIX_WHEEL names no wheel")
    return found


@pytest.fixture(scope="module")
def bare(wheel, tmp_path_factory):
    """python of a fresh venv with the wheel alone; a PATH that has nothing else."""
    folder = tmp_path_factory.mktemp("bare")
    env = {"PATH": str(folder / "venv" / "bin"), "HOME": str(folder)}
    python = folder / "venv" / "bin" / "python"
    base = os.path.realpath(sys.executable)
    subprocess.run([base, "-m", "venv", folder / "venv"], check=True, env=env)
    subprocess.run([python, "-m", "pip", "install", "-q", "--no-index", "--disable-pip-version-check",
                    wheel], check=True, env=env, cwd=folder)
    return str(python), env


def test_works(bare, path, tmp_path):
    python, env = bare
    for form in ("none", "gzip", "zstd"):
        subprocess.run([python, "-c", CHECK, path, form], check=True, env=env, cwd=tmp_path)
    done = subprocess.run([os.path.join(os.path.dirname(python), "trace-lanefix")], env=env, cwd=tmp_path,
                          stdout=subprocess.PIPE, check=True)
    assert done.stdout.endswith(b"wrote trace.fixed.json: 5 slices, 1 new lanes\n")


def test_needs_nothing(bare):
    python, env = bare
    done = subprocess.run([python, "-m", "pip", "show", "trace-lanefix"], env=env, text=True,
                          stdout=subprocess.PIPE, check=True).stdout
    assert "Requires: \n" in done
    code = ("import sys, trace_lanefix; bad = {'torch', 'numpy', 'typing_extensions', 'json'} "
            "& set(sys.modules); assert not bad, bad")
    subprocess.run([python, "-S", "-c", "import sys; sys.path.insert(0, sys.argv[1])\n" + code,
                    subprocess.run([python, "-c", "import trace_lanefix as t; print(t.__path__[0])"],
                                   env=env, text=True, stdout=subprocess.PIPE).stdout.strip()
                    + "/.."], check=True, env=env)


def test_content(wheel):
    name = os.path.basename(wheel)
    assert name.startswith("trace_lanefix-") and "-py3-none-linux_" in name
    names = zipfile.ZipFile(wheel).namelist()
    for wanted in ("trace_lanefix/__init__.py", "trace_lanefix/py.typed", "trace_lanefix/liblanefix.so"):
        assert wanted in names
    assert any(n.endswith("/LICENSE") for n in names) and any("LICENSE.libzstd" in n for n in names)
    assert all(n.startswith(("trace_lanefix/", "trace_lanefix-")) for n in names)


def test_a_library_that_does_not_fit_is_refused(tmp_path):
    def load(library):
        done = subprocess.run([sys.executable, "-c", "import trace_lanefix"], stderr=subprocess.PIPE,
                              text=True, env={"LANEFIX_LIBRARY": str(library)})
        assert done.returncode == 1 and "ImportError" in done.stderr
        return done.stderr

    assert "LANEFIX_LIBRARY" in load(tmp_path / "none.so")
    assert "lanefix" in load("libm.so.6")
