"""What the tests share: small traces, the sources' folder, real traces where they are."""
import json
import os
from pathlib import Path

import pytest

TOP = Path(os.environ.get("LANEFIX_TOP") or Path(__file__).resolve().parents[2])


def slice_(name, ts, dur, tid=7, **more):
    return {"ph": "X", "name": name, "pid": 1, "tid": tid, "ts": ts, "dur": dur, **more}


def crossing_events():
    return [
        {"ph": "M", "name": "thread_name", "pid": 1, "tid": 7, "args": {"name": "stream 7"}},
        slice_("gemm_a", 100, 50, cat="kernel", args={"grid": [1, 2]}),
        slice_("gemm_b", 130, 40, cat="kernel"),
        slice_("copy_a", 300.0, 10.0),
        slice_("copy_b", 309.5, 10.0),
        slice_("left alone", 1000, 5, tid=8),
    ]


@pytest.fixture
def events():
    """gemm_b crosses gemm_a and moves; copy_b crosses copy_a by 0.5 us and is snapped."""
    return crossing_events()


@pytest.fixture
def trace(events):
    return json.dumps({"traceEvents": events, "displayTimeUnit": "ms"}).encode()


@pytest.fixture
def path(tmp_path, trace):
    file = tmp_path / "trace.json"
    file.write_bytes(trace)
    return file


@pytest.fixture
def large():
    """Returns a function: a trace of about so many bytes, in which nothing crosses but the last two."""
    def make(nbytes):
        line = ('{"ph":"X","cat":"cpu_op","name":"aten::add_","pid":1,"tid":%d,"ts":%d.125,"dur":7.5,'
                '"args":{"External id":%d,"Sequence number":%d,"Fwd thread id":0}},\n')
        n = nbytes // 150
        events = "".join(line % (i % 8, 1000 + 10 * (i // 8), i, i) for i in range(n))
        a, b = (json.dumps(slice_(name, 10**9 + ts, 100)) for name, ts in (("a", 0), ("b", 50)))
        return f'{{"traceEvents": [\n{events}{a},\n{b}\n]}}\n'.encode()
    return make


@pytest.fixture
def top():
    return TOP


@pytest.fixture
def program():
    """The programs that the Makefile builds, by name."""
    def find(name):
        file = TOP / "build" / "release" / name
        if not file.exists():
            pytest.skip(f"{file} is not built")
        return str(file)
    return find


@pytest.fixture
def real_traces():
    """Paths of real traces."""
    folder = TOP.parent / "shared" / "traces"
    found = sorted(folder.glob("*.json.gz"))
    if not found:
        pytest.skip(f"no traces in {folder}")
    return found
