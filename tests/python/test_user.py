"""What a user of fix_overlaps has in their own tests: files in tmp_path, the report from capsys."""
import json

import pytest
from trace_lanefix import fix_overlaps


def make_trace(path, events):
    path.write_text(json.dumps({"traceEvents": events}))
    return path


def x(name, ts, dur, tid=7, pid=0, **kw):
    return {"ph": "X", "cat": "kernel", "name": name, "pid": pid, "tid": tid, "ts": ts, "dur": dur, **kw}


def load(path):
    with open(path) as f:
        return json.load(f)["traceEvents"]


def named(events, name):
    return next(e for e in events if e["name"] == name and e["ph"] == "X")


def test_crossing_slice_moves_to_a_lane(tmp_path, capsys):
    src = make_trace(tmp_path / "trace.json", [x("a", 0, 100), x("b", 50, 100)])
    dst = tmp_path / "fixed.json"
    fix_overlaps(str(src), str(dst))
    events = load(dst)
    assert named(events, "a") == x("a", 0, 100)
    assert named(events, "b") == x("b", 50, 100, tid=7001)
    out = capsys.readouterr().out
    assert "processing 1 track(s)" in out
    assert "pid=0 tid=7: 2 lane(s), 1 slice(s) moved, 0 snapped" in out
    assert f"wrote {dst}: 2 slices, 1 new lanes" in out


def test_tiny_crossing_is_snapped(tmp_path, capsys):
    src = make_trace(tmp_path / "trace.json", [x("a", 0, 100.5), x("b", 100, 100)])
    dst = tmp_path / "fixed.json"
    fix_overlaps(src, dst)
    a, b = (named(load(dst), n) for n in "ab")
    assert a["tid"] == b["tid"] == 7
    assert a["ts"] + a["dur"] <= b["ts"]
    assert "snapped 1 sub-5.0us crossing(s)" in capsys.readouterr().out


def test_threshold(tmp_path, capsys):
    src = make_trace(tmp_path / "trace.json", [x("a", 0, 100.5), x("b", 100, 100)])
    dst = tmp_path / "fixed.json"
    fix_overlaps(src, dst, snap_threshold_us=0.25)
    assert named(load(dst), "b")["tid"] != 7
    fix_overlaps(in_path=src, out_path=dst, snap_threshold_us=2)
    assert named(load(dst), "b")["tid"] == 7
    assert "sub-2.0us" in capsys.readouterr().out


def test_lane_has_a_name_under_its_track(tmp_path):
    meta = {"ph": "M", "name": "thread_name", "pid": 0, "tid": 7, "args": {"name": "stream 7"}}
    src = make_trace(tmp_path / "trace.json", [meta, x("a", 0, 100), x("b", 50, 100)])
    fix_overlaps(src, tmp_path / "fixed.json")
    names = {e["tid"]: e["args"]["name"] for e in load(tmp_path / "fixed.json")
             if e["name"] == "thread_name"}
    assert names == {7: "stream 7", 7001: "stream 7 lane 1"}


def test_flow_follows_its_slice(tmp_path, capsys):
    src = make_trace(tmp_path / "trace.json", [
        x("launch", 10, 5, tid=1, pid=9), x("a", 0, 100), x("b", 50, 100),
        {"ph": "s", "id": 3, "name": "ac2g", "cat": "ac2g", "pid": 9, "tid": 1, "ts": 10},
        {"ph": "f", "bp": "e", "id": 3, "name": "ac2g", "cat": "ac2g", "pid": 0, "tid": 7, "ts": 50}])
    fix_overlaps(src, tmp_path / "fixed.json")
    end = next(e for e in load(tmp_path / "fixed.json") if e["ph"] == "f")
    assert end["tid"] == named(load(tmp_path / "fixed.json"), "b")["tid"]
    assert "rewrote 1 flow endpoint(s)" in capsys.readouterr().out


def test_output_is_indented_by_two(tmp_path):
    src = make_trace(tmp_path / "trace.json", [x("a", 0, 1), x("b", 5, 1, args={"k": [1, 2]})])
    dst = tmp_path / "fixed.json"
    fix_overlaps(src, dst)
    assert dst.read_text().rstrip("\n") == json.dumps(json.loads(src.read_text()), indent=2)


def test_nothing_to_fix(tmp_path, capsys):
    events = [x("a", 0, 10), x("b", 10, 10), x("inside", 11, 2)]
    src = make_trace(tmp_path / "trace.json", events)
    fix_overlaps(src, tmp_path / "fixed.json")
    assert load(tmp_path / "fixed.json") == events
    assert "0 new lanes" in capsys.readouterr().out


def test_in_place(tmp_path):
    src = make_trace(tmp_path / "trace.json", [x("a", 0, 100), x("b", 50, 100)])
    fix_overlaps(src, src)
    assert named(load(src), "b")["tid"] == 7001


def test_array_form(tmp_path):
    src = tmp_path / "trace.json"
    src.write_text(json.dumps([x("a", 0, 100), x("b", 50, 100)]))
    fix_overlaps(src, tmp_path / "fixed.json")
    assert json.loads((tmp_path / "fixed.json").read_text())[1]["tid"] == 7001


def test_negative_threshold(tmp_path, capsys):
    src = make_trace(tmp_path / "trace.json", [x("a", 0, 1)])
    with pytest.raises(ValueError):
        fix_overlaps(src, tmp_path / "fixed.json", snap_threshold_us=-1)
    assert not (tmp_path / "fixed.json").exists()
    assert capsys.readouterr().out == ""


def test_missing_input(tmp_path):
    with pytest.raises(FileNotFoundError, match="missing.json"):
        fix_overlaps(tmp_path / "missing.json", tmp_path / "fixed.json")


def test_bad_json(tmp_path):
    (tmp_path / "bad.json").write_text('{"traceEvents": [{"ph": "X" oops')
    with pytest.raises(ValueError, match="byte [0-9]+"):
        fix_overlaps(tmp_path / "bad.json", tmp_path / "fixed.json")
    assert not (tmp_path / "fixed.json").exists()
