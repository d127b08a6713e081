"""The report as text, line for line as the program prints it."""
from __future__ import annotations

from typing import TYPE_CHECKING, Callable, Sequence, TypeVar

if TYPE_CHECKING:
    from ._report import Change, Kernel, Report, Track, Unfolded

_NAME_NBYTES = 160
_Item = TypeVar("_Item")


def _shown(c: str) -> str:
    code = ord(c)
    if code < 0x20 or 0x7f <= code < 0xa0 or 0xd800 <= code < 0xe000:
        return "".join(f"\\x{b:02x}" for b in c.encode("utf-8", "surrogateescape"))
    return c


def safe(name: str, nbytes: int = _NAME_NBYTES) -> str:
    """A name for terminals: control characters and bytes that are no UTF-8 as \\xNN, long names cut."""
    if name.isascii() and name.isprintable() and len(name) < nbytes - 4:
        return name
    out: list[str] = []
    used = 0
    for c in name:
        for piece in ([c] if _shown(c) == c else
                      [f"\\x{b:02x}" for b in c.encode("utf-8", "surrogateescape")]):
            n = len(piece.encode("utf-8"))
            if used + n + 4 > nbytes:
                return "".join(out) + "..."
            out.append(piece)
            used += n
    return "".join(out)


def time(ns: int) -> str:
    return f"{ns}ns" if 0 < ns < 1000 else f"{ns // 1000}.{ns % 1000:03d}us"


def threshold(us: float) -> str:
    text = f"{us:.12g}"
    return text if "." in text or "e" in text else text + ".0"


def _listed(items: Sequence[_Item], line: Callable[[_Item], str], max_lines: int | None,
            total: int | None = None) -> list[str]:
    """Lines of a list, the last saying how many more there are of total."""
    shown = items if max_lines is None else items[:max_lines]
    left = (len(items) if total is None else total) - len(shown)
    return [line(i) for i in shown] + ([f"  \u2026 and {left:,} more"] if left > 0 else [])


def _track(t: Track) -> str:
    return (f"  pid={safe(t.pid)} tid={safe(t.tid)}: {t.lanes + 1} lane(s), "
            f"{t.moved} slice(s) moved, {t.snapped} snapped")


def _unfolded(u: Unfolded) -> str:
    if u.tid is None:
        return f"  pid={safe(u.pid)}: now pid {u.new_pid}"
    return f"  pid={safe(u.pid)} tid={safe(u.tid)}: now tid {u.new_tid}"


def _kernel(k: Kernel) -> str:
    return (f"  {safe(k.name)}: runs={k.runs}, total delayed={time(k.start_shift_ns)}, "
            f"total trimmed={time(k.end_shift_ns)}, "
            f"total boundary shift={time(k.start_shift_ns + k.end_shift_ns)}, "
            f"moved={k.moved}, snapped={k.snapped}")


def _moved(c: Change) -> str:
    return (f"  {safe(c.name)} pid={safe(c.pid)}: moved to lane {c.lane} "
            f"(tid {safe(c.tid)} -> {safe(c.new_tid or '')})")


def _snapped(c: Change) -> str:
    done = []
    if c.start_shift_ns:
        done.append(f"start delayed by {time(c.start_shift_ns)}")
    if c.end_shift_ns:
        done.append(f"end trimmed by {time(c.end_shift_ns)}")
    return f"  {safe(c.name)} pid={safe(c.pid)} tid={safe(c.tid)}: {', '.join(done)}"


def _sums(r: Report) -> list[str]:
    c = r.counters
    lines = []
    updated = c.moved + c.snapped + c.negative
    if c.rebased_ns:
        lines.append(f"rebased: {c.rebased_ns // 10**9} s taken off every ts")
    if c.snapped:
        lines.append(f"snapped {c.snapped} sub-{threshold(r.snap_threshold_us)}us crossing(s)")
    if c.negative:
        lines.append(f"made {c.negative} negative duration(s) 0")
    if updated:
        lines.append(f"updated {updated} slice(s): total |start shift|={time(c.start_shift_ns)}, "
                     f"total |end shift|={time(c.end_shift_ns)}, "
                     f"total |boundary shift|={time(c.start_shift_ns + c.end_shift_ns)}")
    return lines


def _warnings(r: Report) -> list[str]:
    c = r.counters
    lines = []
    if c.rounding_only:
        lines.append(f"note: {c.rounding_only} of {c.refused} crossing(s) come from rounding alone: "
                     "Perfetto loses the nanoseconds of timestamps this large; --rebase keeps them")
    if c.bad_times:
        lines.append(f"warning: {c.bad_times} event(s) without readable ts or dur left as they are; "
                     "Perfetto does not show them")
    if c.crossing_pairs:
        lines.append(f"warning: {c.crossing_pairs} B/E pair(s) end inside one another and are left "
                     "as they are; Perfetto cuts them")
    if c.array_unclosed:
        cut = " and its last event is cut short; Perfetto leaves that out" if c.event_cut else ""
        lines.append(f"warning: the array is not closed{cut}")
    return lines


def report_text(r: Report, max_lines: int | None) -> str:
    c = r.counters
    lines = [f"processing {c.tracks} track(s)"] + _listed(r.tracks, _track, max_lines)
    if c.unfolded:
        lines.append(f"unfolded tracks ({c.unfolded}), which Perfetto would read as one:")
        lines += _listed(r.unfolded, _unfolded, max_lines)
    lines += _sums(r)
    if c.kernels:
        lines.append(f"kernel timing summary ({c.kernel_runs} run(s) across {c.kernels} "
                     "kernel name(s)):")
        lines += _listed(r.kernels, _kernel, max_lines, c.kernels)
    for title, total, kind, line in (("moved", c.moved, 0, _moved),
                                     ("snapped", c.snapped, 1, _snapped)):
        if total:
            lines.append(f"{title} slices ({total}):")
            lines += _listed([x for x in r.changes if x.kind == kind], line, max_lines, total)
    if c.flows_changed:
        lines.append(f"rewrote {c.flows_changed} flow endpoint(s) onto rewritten slice starts/lanes")
    lines += _warnings(r)
    if r.target is None:
        lines.append(f"{safe(r.source, 4 * _NAME_NBYTES)}: Perfetto refuses {c.refused} of "
                     f"{c.slices} slices")
    else:
        lines.append(f"wrote {safe(r.target, 4 * _NAME_NBYTES)}: {c.slices} slices, "
                     f"{c.lanes} new lanes")
    return "\n".join(lines) + "\n"
