"""What a run found and did, as dataclasses: a copy of the library's report, which is gone by then.

Ids and names are texts as in the trace: ids without quotes, names with their escapes as written, bytes
that are no UTF-8 as Python's surrogate escapes.
"""
from __future__ import annotations

import ctypes
import enum
from dataclasses import dataclass, field
from typing import Any, Callable, Iterator

from . import _native as native
from ._text import report_text


class ChangeKind(enum.IntEnum):
    MOVED = native.MOVED
    """to a lane"""
    SNAPPED = native.SNAPPED
    """a boundary was shifted inwards"""
    NEGATIVE = native.NEGATIVE
    """a negative duration became 0"""


@dataclass(frozen=True)
class Counters:
    """Sums over a run. Times in ns."""

    trace_bytes: int
    """decompressed size of the input"""
    events: int
    """in traceEvents"""
    slices: int
    """complete slices ("X") that have a time"""
    flow_endpoints: int
    tracks: int
    """that have complete slices, as Perfetto shows the result"""
    refused: int
    """slices that Perfetto refuses in the input: crossing, too deep, negative; fix leaves out those
    that only unfolding cures"""
    moved: int
    """slices moved to lanes"""
    snapped: int
    """slices with a boundary shifted"""
    negative: int
    """negative durations made 0"""
    start_shift_ns: int
    end_shift_ns: int
    lanes: int
    """new tracks"""
    unfolded: int
    """tracks (and processes) that got an id of their own"""
    flows_changed: int
    """flow endpoints rewritten"""
    rebased_ns: int
    """taken off every ts, 0 where none was"""
    rounding_only: int
    """of the refused: those that rebasing would cure"""
    bad_times: int
    """slices and endpoints left alone: no readable ts or dur"""
    crossing_pairs: int
    """"B" slices cut by the "E" of a slice around them; left alone"""
    crossing_sizes: tuple[int, ...]
    """refused slices by how far they cross: below 1 us, 1 to 10 us, ..., 100 ms and more"""
    kernels: int
    """kernel names that changed"""
    kernel_runs: int
    """slices of cat "kernel" that changed"""
    array_unclosed: bool
    """the top-level array is never closed (Perfetto loads it)"""
    event_cut: bool
    """and it ends inside an event, which Perfetto leaves out"""


@dataclass(frozen=True)
class Track:
    """A track that changed."""

    pid: str
    tid: str
    lanes: int
    """new ones, beside the track itself"""
    moved: int
    snapped: int
    negative: int


@dataclass(frozen=True)
class Unfolded:
    """A track or process that got an id of its own."""

    pid: str
    tid: str | None
    """None: the process"""
    new_pid: str | None
    """None: unchanged"""
    new_tid: str | None


@dataclass(frozen=True)
class Change:
    """A complete slice that changed."""

    kind: ChangeKind
    offset: int
    """byte of the event in the (decompressed) trace"""
    name: str
    pid: str
    tid: str
    new_tid: str | None
    """of a moved slice"""
    lane: int
    """of a moved slice: 1, 2, ...; else 0"""
    start_shift_ns: int
    end_shift_ns: int
    crossing_ns: int
    """how far the slice crossed others in the input"""


@dataclass(frozen=True)
class Kernel:
    """All changed slices of cat "kernel" that have one name. Times in ns."""

    name: str
    runs: int
    moved: int
    snapped: int
    start_shift_ns: int
    end_shift_ns: int


@dataclass(frozen=True)
class Progress:
    """How far a run is."""

    pass_number: int
    """1 or 2"""
    input_bytes: int
    """read in this pass, of the file as it is (compressed)"""
    input_size: int
    """0 where unknown"""
    trace_bytes: int
    """decompressed, in this pass"""


@dataclass(frozen=True)
class Report:
    """What a run found and did. print(report) shows it as the program does."""

    counters: Counters
    tracks: list[Track] = field(repr=False)
    """that changed, by pid and tid"""
    unfolded: list[Unfolded] = field(repr=False)
    changes: list[Change] = field(repr=False)
    """moved slices, then snapped ones, then negative ones, each in file order"""
    kernels: list[Kernel] = field(repr=False)
    """by total shift, largest first"""
    source: str
    """name of the input"""
    target: str | None
    """name of the output; None: a check"""
    snap_threshold_us: float

    def changes_of(self, kind: ChangeKind) -> list[Change]:
        """The changes of one kind, in file order."""
        return [c for c in self.changes if c.kind == kind]

    def text(self, max_lines: int | None = None) -> str:
        """The report as the program prints it; max_lines: of each list, None: all."""
        return report_text(self, max_lines)

    def __str__(self) -> str:
        return self.text().rstrip("\n")


def _decoded(text: bytes | None) -> str | None:
    return None if text is None else text.decode("utf-8", "surrogateescape")


def _name(item: Any) -> str:
    return ctypes.string_at(item.name, item.name_nbytes).decode("utf-8", "surrogateescape")


def _each(item: Any, call: Callable[..., int], *leading: Any) -> Iterator[Any]:
    """Items of a list of the library's report. All are the same object, filled anew."""
    to = ctypes.byref(item)
    i = 0
    while call(*leading, i, to):
        yield item
        i += 1


def _counters(handle: ctypes.c_void_p) -> Counters:
    c = native.lib.lanefix_report_counters(handle).contents
    values = {name: getattr(c, name) for name, _ in native.Counters._fields_}
    values["crossing_sizes"] = tuple(values["crossing_sizes"])
    values["array_unclosed"] = bool(values["array_unclosed"])
    values["event_cut"] = bool(values["event_cut"])
    return Counters(**values)


def _changes(handle: ctypes.c_void_p) -> list[Change]:
    ids: dict[bytes | None, Any] = {None: None}  # the same few over and over

    def shared(text: bytes | None) -> Any:
        if text not in ids:
            ids[text] = _decoded(text)
        return ids[text]

    return [Change(kind, c.offset, _name(c), shared(c.pid), shared(c.tid), shared(c.new_tid),
                   c.lane, c.start_shift_ns, c.end_shift_ns, c.crossing_ns)
            for kind in ChangeKind
            for c in _each(native.Change(), native.lib.lanefix_report_change, handle, kind)]


def report_of(handle: ctypes.c_void_p, source: str, target: str | None,
              snap_threshold_us: float) -> Report:
    """Copies a report of the library, which stays the caller's."""
    lib = native.lib
    return Report(
        _counters(handle),
        [Track(_decoded(t.pid) or "", _decoded(t.tid) or "", t.lanes, t.moved, t.snapped, t.negative)
         for t in _each(native.Track(), lib.lanefix_report_track, handle)],
        [Unfolded(_decoded(u.pid) or "", _decoded(u.tid), _decoded(u.new_pid), _decoded(u.new_tid))
         for u in _each(native.Unfolded(), lib.lanefix_report_unfolded, handle)],
        _changes(handle),
        [Kernel(_name(k), k.runs, k.moved, k.snapped, k.start_shift_ns, k.end_shift_ns)
         for k in _each(native.Kernel(), lib.lanefix_report_kernel, handle)],
        source, target, snap_threshold_us)
