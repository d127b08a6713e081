"""The public calls: ends opened, options checked, the library run, its report copied."""
from __future__ import annotations

import ctypes
import os
import sys
from typing import TYPE_CHECKING, Any, BinaryIO, Union

from . import _native as native
from ._ends import Source, Target, memory_file, read_all
from ._errors import Cancelled, exception_of
from ._options import CheckOptions, Settings, UndoOptions
from ._report import Report, report_of
from ._stop import Stop, run
from ._torch import tensorboard_trace_handler as tensorboard_trace_handler

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ._options import Options, OverlapsOptions

Path = Union[str, "os.PathLike[str]"]
SourceLike = Union[Path, bytes, bytearray, memoryview, BinaryIO, int]
TargetLike = Union[Path, BinaryIO, int]


def library_version() -> str:
    """The version of the C library, "MAJOR.MINOR.PATCH"."""
    return str(native.lib.lanefix_version().decode("ascii"))


def _call(name: str, source: Any, target: Any, settings: Settings) -> Any:
    """One call of the library: fix and check return a Report, undo a number."""
    stop = Stop(settings.native, settings.progress)
    from_ = Source(source, stop)
    try:
        to = None if name == "check" else Target(target, stop, settings)
    except BaseException:
        from_.close()
        raise
    ends: list[Source | Target] = [from_] if to is None else [from_, to]

    def work() -> Any:
        try:
            return _run(name, from_, to, settings, stop)
        finally:
            for end in ends:
                end.close()

    result = run(work, stop, any(end.may_block for end in ends))
    for end in ends:
        end.finish()
    return result


def _run(name: str, from_: Source, to: Target | None, settings: Settings, stop: Stop) -> Any:
    error = native.Error()
    report = ctypes.c_void_p()
    restored = ctypes.c_uint64()
    in_, options, err = (ctypes.byref(x) for x in (from_.native, settings.native, error))
    if to is None:
        status = native.lib.lanefix_check(in_, options, ctypes.byref(report), err)
    elif name == "fix":
        status = native.lib.lanefix_fix(in_, ctypes.byref(to.native), options,
                                        ctypes.byref(report), err)
    else:
        status = native.lib.lanefix_undo(in_, ctypes.byref(to.native), options,
                                         ctypes.byref(restored), err)
    try:
        for raised in (stop.error, from_.error, to.error if to is not None else None):
            if raised is not None:
                raise raised
        if status != native.OK and stop.is_set():
            raise Cancelled("cancelled")
        if status != native.OK:
            raise exception_of(error, (from_.name, to.name if to is not None else from_.name))
        if name == "undo":
            return restored.value
        return report_of(report, from_.name, to.name if to is not None else None,
                         settings.snap_threshold_us)
    finally:
        native.lib.lanefix_report_destroy(report)


def fix(source: SourceLike, target: TargetLike, **options: Unpack[Options]) -> Report:
    """Rewrites the trace of source to target and reports what was done.

    Every byte outside the changed values stays, unless indent or pretty says otherwise. Options:
    see help(trace_lanefix.Options). Of a target that is no path, what was written before a failure is
    written.
    """
    report: Report = _call("fix", source, target, Settings("fix", dict(options)))
    return report


def check(source: SourceLike, **options: Unpack[CheckOptions]) -> Report:
    """What fix would do, and in counters.refused what Perfetto refuses; writes nothing."""
    report: Report = _call("check", source, None, Settings("check", dict(options), CheckOptions))
    return report


def undo(source: SourceLike, target: TargetLike, **options: Unpack[UndoOptions]) -> int:
    """Writes the trace as it was before fix, byte for byte. Returns how many events were given back.

    TraceError where the trace has no notes of lanefix (annotate=False) or was edited since.
    """
    restored: int = _call("undo", source, target, Settings("undo", dict(options), UndoOptions))
    return restored


def fix_bytes(data: bytes | bytearray | memoryview,
              **options: Unpack[Options]) -> tuple[bytes, Report]:
    """The rewritten trace (plain, unless compress says otherwise) and the report."""
    return _to_bytes("fix", data, Settings("fix_bytes", dict(options)))


def undo_bytes(data: bytes | bytearray | memoryview, **options: Unpack[UndoOptions]) -> bytes:
    """The trace as it was before fix."""
    return _to_bytes("undo", data, Settings("undo_bytes", dict(options), UndoOptions))[0]


def _to_bytes(name: str, data: Any, settings: Settings) -> tuple[bytes, Any]:
    if not isinstance(data, (bytes, bytearray, memoryview)):
        raise TypeError(f"data: {type(data).__name__}: expected bytes")
    fd = memory_file()
    try:
        result = _call(name, data, fd, settings)
        return read_all(fd), result
    finally:
        os.close(fd)


def fix_overlaps(in_path: Path, out_path: Path, snap_threshold_us: float = 5.0,
                 **options: Unpack[OverlapsOptions]) -> None:
    """Rewrites the trace of in_path to out_path and prints the report to sys.stdout.

    snap_threshold_us: crossings are snapped where no boundary moves by this many microseconds or more;
    ValueError where it is negative. in_path may be out_path. Unlike fix, and as those expect who compare
    what they read back: the trace is written anew, indented by two spaces (pretty=False: no byte
    changes), changed events get no notes (annotate=True: they do, and undo works), and lanes have no
    limit (max_lanes).
    """
    given: dict[str, Any] = {"pretty": True, "annotate": False, "max_lanes": 0, "in_place": True,
                             **options, "snap_threshold_us": snap_threshold_us}
    settings = Settings("fix_overlaps", given)
    _print(str(_call("fix", in_path, out_path, settings)))


def _print(text: str) -> None:
    """Names may hold what stdout cannot show; the trace is written by then."""
    encoding = getattr(sys.stdout, "encoding", None) or "utf-8"
    print(text.encode(encoding, "backslashreplace").decode(encoding))
