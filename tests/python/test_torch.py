"""The handler for torch.profiler, with an object that exports as torch's does."""
import gzip
import json
import os
import re

import pytest
import trace_lanefix as t


class Profile:
    def __init__(self, trace):
        self.trace = trace

    def export_chrome_trace(self, path):
        opener = gzip.open if path.endswith(".gz") else open
        with opener(path, "wb") as file:
            file.write(self.trace)


def test_exports_and_fixes(tmp_path, trace):
    handler = t.tensorboard_trace_handler(str(tmp_path / "log" / "run"), worker_name="rank0")
    handler(Profile(trace))
    handler(Profile(trace))
    files = sorted(os.listdir(tmp_path / "log" / "run"))
    assert len(files) == 2
    for name in files:
        assert re.fullmatch(r"rank0\.\d+\.pt\.trace\.json", name)
        fixed = (tmp_path / "log" / "run" / name).read_bytes()
        assert fixed == t.fix_bytes(trace)[0]
        assert t.check(fixed).counters.refused == 0


def test_gzip_and_options(tmp_path, trace):
    t.tensorboard_trace_handler(tmp_path, use_gzip=True, snap_threshold_us=0, annotate=False)(
        Profile(trace))
    name, = os.listdir(tmp_path)
    assert name.endswith(f"_{os.getpid()}." + name.split(".", 1)[1]) or f"_{os.getpid()}." in name
    assert name.endswith(".pt.trace.json.gz")
    events = json.loads(gzip.decompress((tmp_path / name).read_bytes()))["traceEvents"]
    assert len([e for e in events if e["tid"] >= 7001]) > 2
    assert not any("lanefix" in e.get("args", {}) for e in events)


def test_a_trace_that_cannot_be_fixed_stays(tmp_path):
    handler = t.tensorboard_trace_handler(tmp_path, "w")
    with pytest.warns(RuntimeWarning, match="stays as it was exported"):
        handler(Profile(b'{"traceEvents": [{]'))
    name, = os.listdir(tmp_path)
    assert (tmp_path / name).read_bytes() == b'{"traceEvents": [{]'


def test_wrong_options_are_told_at_once(tmp_path):
    with pytest.raises(TypeError):
        t.tensorboard_trace_handler(tmp_path, treads=2)
    with pytest.raises(ValueError):
        t.tensorboard_trace_handler(tmp_path, snap_threshold_us=-1)


def test_errors_of_the_export_come_out(tmp_path):
    class Fails:
        def export_chrome_trace(self, path):
            raise RuntimeError("no trace")

    with pytest.raises(RuntimeError, match="no trace"):
        t.tensorboard_trace_handler(tmp_path)(Fails())
