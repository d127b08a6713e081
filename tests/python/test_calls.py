"""fix, check, undo: options, reports, errors."""
import dataclasses
import gzip
import json
import pickle

import pytest
import trace_lanefix as t


def loaded(path):
    return json.loads(path.read_bytes())["traceEvents"]


def test_fix(path, tmp_path, trace):
    out = tmp_path / "out.json"
    report = t.fix(path, out)
    events = loaded(out)
    assert [e["tid"] for e in events if e["ph"] == "X"] == [7, 7001, 7, 7, 8]
    assert path.read_bytes() == trace
    c = report.counters
    assert (c.events, c.slices, c.tracks, c.refused, c.moved, c.snapped, c.lanes) == (6, 5, 2, 2, 1, 1, 1)
    assert c.trace_bytes == len(trace) and c.kernels == 1 and c.kernel_runs == 1
    assert c.end_shift_ns + c.start_shift_ns == 500
    assert c.array_unclosed is False and isinstance(c.crossing_sizes, tuple)
    assert len(c.crossing_sizes) == 7
    assert report.tracks == [t.Track("1", "7", 1, 1, 1, 0)]
    assert report.unfolded == []
    moved, snapped = report.changes
    assert (moved.kind, moved.name, moved.pid, moved.tid, moved.new_tid, moved.lane) == (
        t.ChangeKind.MOVED, "gemm_b", "1", "7", "7001", 1)
    assert trace[moved.offset:].startswith(b'{"ph": "X", "name": "gemm_b"')
    assert snapped.kind == t.ChangeKind.SNAPPED and snapped.new_tid is None
    assert snapped.start_shift_ns + snapped.end_shift_ns == 500
    assert report.changes_of(t.ChangeKind.NEGATIVE) == []
    assert report.kernels == [t.Kernel("gemm_b", 1, 1, 0, 0, 0)]
    assert (report.source, report.target) == (str(path), str(out))


def test_fix_keeps_bytes(path, tmp_path, trace):
    out = tmp_path / "out.json"
    t.fix(path, out, annotate=False)
    changed = out.read_bytes()
    at = trace.index(b"gemm_b")
    assert changed[:at] == trace[:at]
    assert trace[-25:] == changed[-25:]


def test_check_writes_nothing(path, tmp_path):
    report = t.check(str(path))
    assert report.counters.refused == 2 and report.target is None
    assert [p.name for p in tmp_path.iterdir()] == ["trace.json"]


def test_report_is_plain_data(path, tmp_path):
    report = t.check(path)
    assert pickle.loads(pickle.dumps(report)) == report
    assert json.loads(json.dumps(dataclasses.asdict(report)))["counters"]["moved"] == 1
    with pytest.raises(dataclasses.FrozenInstanceError):
        report.counters.moved = 3
    assert "moved=1" in repr(report)


def test_undo(path, tmp_path, trace):
    t.fix(path, tmp_path / "fixed.json.gz")
    assert t.undo(tmp_path / "fixed.json.gz", tmp_path / "back.json") == 2
    assert (tmp_path / "back.json").read_bytes() == trace
    with pytest.raises(t.TraceError):
        t.undo(path, tmp_path / "other.json")
    assert not (tmp_path / "other.json").exists()


def test_bytes(trace, path, tmp_path):
    data, report = t.fix_bytes(trace)
    t.fix(path, tmp_path / "out.json")
    assert data == (tmp_path / "out.json").read_bytes()
    assert report.counters.moved == 1
    assert t.fix_bytes(memoryview(bytearray(trace)))[0] == data
    assert t.fix_bytes(gzip.compress(trace))[0] == data
    assert gzip.decompress(t.fix_bytes(trace, compress="gzip:1")[0]) == data
    assert t.undo_bytes(data) == trace
    assert t.check(trace).counters == dataclasses.replace(
        report.counters, refused=t.check(trace).counters.refused)
    for wrong in (str(path), path, None, 3):
        with pytest.raises(TypeError):
            t.fix_bytes(wrong)


def test_snap_threshold(trace):
    assert t.fix_bytes(trace, snap_threshold_us=0)[1].counters.snapped == 0
    assert t.fix_bytes(trace, snap_threshold_us=0.5)[1].counters.snapped == 0
    assert t.fix_bytes(trace, snap_threshold_us=0.501)[1].counters.snapped == 1


def test_compress_by_name_and_by_option(path, tmp_path):
    plain = t.fix_bytes(path.read_bytes())[0]
    for name, option, magic in (("a.json", None, plain[:2]), ("a.gz", None, b"\x1f\x8b"),
                                ("a.zst", None, b"\x28\xb5"), ("a.gz", "none", plain[:2]),
                                ("a.json", "zstd:19", b"\x28\xb5"), ("a.json", "gzip:9", b"\x1f\x8b")):
        t.fix(path, tmp_path / name, compress=option)
        assert (tmp_path / name).read_bytes()[:2] == magic
        assert t.fix_bytes((tmp_path / name).read_bytes())[0] == plain


def test_pretty_and_indent(path):
    data = path.read_bytes()
    value = json.loads(t.fix_bytes(data, annotate=False)[0])
    for options, spaces in (({"pretty": True}, 2), ({"indent": 3}, 3), ({"indent": 0}, 0),
                            ({"pretty": True, "indent": 1}, 1)):
        text = t.fix_bytes(data, annotate=False, **options)[0].decode()
        assert text.rstrip("\n") == json.dumps(value, indent=spaces)


def test_other_options(trace, tmp_path):
    lanes = json.dumps([{"ph": "X", "name": "n", "pid": 1, "tid": 1, "ts": 10 * i, "dur": 5000}
                        for i in range(70)]).encode()
    with pytest.raises(t.LimitError):
        t.fix_bytes(lanes)
    assert t.fix_bytes(lanes, max_lanes=0)[1].counters.lanes == 69
    folds = json.dumps([{"ph": "X", "name": "n", "pid": 1, "tid": tid, "ts": 1, "dur": 5}
                        for tid in (-1, -2)]).encode()
    assert t.fix_bytes(folds)[1].unfolded != [] == t.fix_bytes(folds, unfold=False)[1].unfolded
    absolute = trace.replace(b'"ts": ', b'"ts": 1700000000000')
    assert t.fix_bytes(absolute)[1].counters.rebased_ns == 0
    assert t.fix_bytes(absolute, rebase="always")[1].counters.rebased_ns > 10**18
    assert t.fix_bytes(trace, rebase="auto")[1].counters.rebased_ns == 0
    few = t.fix_bytes(trace, max_changes=0)[1]
    assert few.changes == [] and few.counters.moved == 1
    assert "more" in few.text()
    for threads in (1, 2, 5):
        assert t.fix_bytes(trace, threads=threads)[0] == t.fix_bytes(trace)[0]
    assert b'"lanefix"' in t.fix_bytes(trace)[0]
    assert b'"lanefix"' not in t.fix_bytes(trace, annotate=False)[0]
    assert t.fix_bytes(trace, spool_dir=tmp_path, spool_memory=0, window_log_max=20)[0]


def test_max_memory(large):
    with pytest.raises(MemoryError):
        t.fix_bytes(large(2_000_000), max_memory=100_000)


def test_in_place(path):
    with pytest.raises(ValueError, match="one file"):
        t.fix(path, path)
    t.fix(path, path, in_place=True)
    assert 7001 in [e["tid"] for e in loaded(path)]


@pytest.mark.parametrize("options", [
    {"snap_threshold_us": -0.1}, {"snap_threshold_us": float("nan")}, {"snap_threshold_us": 1e13},
    {"max_lanes": -1}, {"max_lanes": 2**32}, {"threads": 100000}, {"rebase": "often"}, {"indent": 17},
    {"indent": -1}, {"compress": "lzma"}, {"compress": "gzip:10"}, {"compress": "zstd:0"},
    {"compress": "none:1"}, {"compress": "gzip:"}, {"window_log_max": 9}, {"max_memory": -1},
    {"spool_dir": "a\0b"},
])
def test_values_out_of_range(path, tmp_path, options):
    with pytest.raises(ValueError) as caught:
        t.fix(path, tmp_path / "out.json", **options)
    assert not isinstance(caught.value, t.TraceError)
    assert not (tmp_path / "out.json").exists()


@pytest.mark.parametrize("options", [{"max_lanes": 1.5}, {"threads": "2"}, {"thread": 2},
                                     {"indent": True}, {"snap_threshold_us": None}])
def test_wrong_types(path, tmp_path, options):
    with pytest.raises(TypeError):
        t.fix(path, tmp_path / "out.json", **options)


def test_check_takes_no_writing_options(path):
    for option in ("annotate", "pretty", "indent", "compress", "in_place"):
        with pytest.raises(TypeError, match=option):
            t.check(path, **{option: None})
    for option in ("annotate", "snap_threshold_us", "max_lanes", "indent"):
        with pytest.raises(TypeError, match=option):
            t.undo_bytes(b"", **{option: 1})


def test_bad_traces_say_the_offset(tmp_path):
    bad = b'{"traceEvents": [{"ph": "X", "ts": 1, "dur": null}]}'
    (tmp_path / "bad.json").write_bytes(bad)
    with pytest.raises(t.TraceError, match="bad.json: byte") as caught:
        t.fix(tmp_path / "bad.json", tmp_path / "out.json")
    assert isinstance(caught.value, ValueError)
    assert bad[:caught.value.offset + 4].endswith(b"null") or 0 < caught.value.offset < len(bad)
    assert caught.value.packed_offset is None
    assert pickle.loads(pickle.dumps(caught.value)).offset == caught.value.offset
    packed = gzip.compress(b'{"traceEvents": [' + b" " * 10**6 + b"]}", mtime=0)[:-20]
    with pytest.raises(t.TraceError):
        t.check(packed)
    assert not (tmp_path / "out.json").exists()


def test_system_errors(path, tmp_path):
    with pytest.raises(FileNotFoundError) as caught:
        t.check(tmp_path / "none.json")
    assert caught.value.filename == str(tmp_path / "none.json")
    with pytest.raises(IsADirectoryError):
        t.check(tmp_path)
    with pytest.raises(FileNotFoundError) as caught:
        t.fix(path, tmp_path / "no" / "out.json")
    assert "no" in str(caught.value)
    with pytest.raises(OSError):
        t.check(987)
    with pytest.raises(ValueError):
        t.check("a\0b")
    with pytest.raises(TypeError):
        t.check(None)
    with pytest.raises(TypeError):
        t.fix(path, b"out.json")


def test_odd_names(tmp_path, trace):
    odd = tmp_path / "tr\u00e4ce \udcff\u20ac.json"
    odd.write_bytes(trace)
    report = t.fix(odd, tmp_path / "\udcfe.json")
    assert report.target == str(tmp_path / "\udcfe.json")
    assert "\\xfe.json: 5 slices" in str(report)
    odd.write_bytes(b"[}")
    with pytest.raises(t.TraceError):
        t.check(odd)


def test_odd_slice_names():
    data = ('[{"ph":"X","name":"tor\\ch \u20ac \x01","pid":1,"tid":"s","ts":1,"dur":100},'
            '{"ph":"X","name":"b').encode() + b'\xff\xe2\x82","pid":1,"tid":"s","ts":50,"dur":100}]'
    report = t.check(data)
    assert report.changes[0].name.encode("utf-8", "surrogateescape") == b"b\xff\xe2\x82"
    assert report.changes[0].new_tid == "s lane 1"
    assert "b\\xff\\xe2\\x82 pid=1: moved" in str(report)
