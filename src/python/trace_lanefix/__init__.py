"""Rewrites Chrome-trace JSON so that Perfetto shows every slice.

    from trace_lanefix import fix_overlaps
    fix_overlaps("trace.json", "trace.fixed.json")      # prints a report

    import trace_lanefix
    report = trace_lanefix.fix("trace.json.gz", "fixed.json.gz")
    report = trace_lanefix.check("trace.json")          # writes nothing
    data, report = trace_lanefix.fix_bytes(data)
    trace_lanefix.undo("fixed.json.gz", "trace.json")   # the original, byte for byte

Traces are plain, gzip or zstd, told by their first bytes. They come from a path, a bytes-like object,
a binary file object or a descriptor, and go to a path, a binary file object or a descriptor. Times are
in the unit that a name ends with (_us, _ns).

A path is written whole or not at all, and the input stays untouched, whatever happens. The GIL is
released; any number of threads may call at the same time. In the main thread, Ctrl-C (or any signal
handler that raises) stops a run.

Errors: TraceError (a ValueError, with the byte offset) where the input is no trace that Perfetto loads,
LimitError (a TraceError) where a limit was reached, ValueError for an option out of range, OSError
where the system refused something, MemoryError.
"""
from ._api import (check, fix, fix_bytes, fix_overlaps, library_version, tensorboard_trace_handler,
                   undo, undo_bytes)
from ._errors import Cancelled, LimitError, TraceError
from ._options import CheckOptions, Options, OverlapsOptions, UndoOptions
from ._report import Change, ChangeKind, Counters, Kernel, Progress, Report, Track, Unfolded
from ._version import __version__

__all__ = [
    "Cancelled", "Change", "ChangeKind", "CheckOptions", "Counters", "Kernel", "LimitError", "Options",
    "OverlapsOptions", "Progress", "Report", "TraceError", "Track", "Unfolded",
    "UndoOptions", "__version__", "check", "fix", "fix_bytes", "fix_overlaps", "library_version",
    "tensorboard_trace_handler", "undo", "undo_bytes",
]
