"""Options by keyword, checked and turned into the library's."""
from __future__ import annotations

import ctypes
import math
import os
from typing import TYPE_CHECKING, Any, Callable, Literal, TypedDict

from . import _native as native

if TYPE_CHECKING:
    from ._report import Progress

_FORMS = {
    "auto": (native.FORM_AUTO, 0),
    "none": (native.FORM_PLAIN, 0),
    "gzip": (native.FORM_GZIP, 9),
    "zstd": (native.FORM_ZSTD, 19),
}
_REBASES = {"never": native.REBASE_NEVER, "auto": native.REBASE_AUTO,
            "always": native.REBASE_ALWAYS}


class Options(TypedDict, total=False):
    """What fix, check and undo take by keyword (check: nothing about writing)."""

    snap_threshold_us: float
    """A crossing is snapped where no boundary moves by this many microseconds or more; 0: none. 5.0"""
    max_lanes: int
    """A track that needs more lanes is an error; 0: no limit. 64"""
    unfold: bool
    """Tracks that Perfetto folds into one get ids of their own. True"""
    rebase: Literal["never", "auto", "always"] | bool
    """Take whole seconds off every ts, so that nanoseconds survive Perfetto; True: auto. "never" """
    annotate: bool
    """Changed events keep their original values in their args, for undo. True"""
    pretty: bool
    """Write the trace anew, indented by two spaces: indent=2. False"""
    indent: int | None
    """Write the trace anew, indented by 0 to 16 spaces a level; None: every byte stays. None"""
    compress: str | None
    """"none", "gzip", "zstd", "gzip:6", "zstd:19"; None: by the target's name, else plain. None"""
    in_place: bool
    """Source and target may be one file. False"""
    max_memory: int
    """Bytes that a run may take; MemoryError where it would need more; 0: no limit. 0"""
    threads: int
    """0: as many as there are CPUs. 0"""
    spool_dir: str | os.PathLike[str] | None
    """For the temporary copy of an input that cannot seek; None: TMPDIR, then /tmp. None"""
    spool_memory: int
    """Such an input of up to so many bytes stays in memory. 8 MiB"""
    window_log_max: int
    """Zstd input: the largest window, as a power of two, 10 to 31. 27"""
    max_changes: int | None
    """Changes of each kind that the report keeps; None: all. None"""
    progress: Callable[[Progress], object] | None
    """Called now and then, by any thread; a true result stops the run with Cancelled. None"""


_WRITING = ("annotate", "pretty", "indent", "compress", "in_place")


def threshold_ns(us: float) -> int:
    """Microseconds as the library's nanoseconds, a half rounded up."""
    us = float(us)
    if not (math.isfinite(us) and 0 <= us <= 1e12):
        raise ValueError(f"snap_threshold_us: {us}: expected microseconds, 0 or more")
    ns = us * 1000.0
    return math.floor(ns) + (ns - math.floor(ns) >= 0.5)


def _whole(name: str, value: Any, low: int, high: int) -> int:
    if isinstance(value, bool) or not hasattr(value, "__index__"):
        raise TypeError(f"{name}: {value!r}: expected a whole number")
    number = value.__index__()
    if not low <= number <= high:
        raise ValueError(f"{name}: {number}: expected {low} to {high}")
    return int(number)


def _rebase(value: Any) -> int:
    if isinstance(value, bool):
        value = "auto" if value else "never"
    if value not in _REBASES:
        raise ValueError(f"rebase: {value!r}: expected never, auto or always")
    return _REBASES[value]


def _form(value: Any) -> tuple[int, int]:
    """Form and level of "form" or "form:level"."""
    name, colon, level = ("auto" if value is None else value).partition(":")
    form, highest = _FORMS.get(name, (None, 0))
    if form is not None and not colon:
        return form, native.LEVEL_DEFAULT
    if form is not None and level.isascii() and level.isdigit() and 1 <= int(level) <= highest:
        return form, int(level)
    raise ValueError(f"compress: {value!r}: expected none, gzip[:1-9] or zstd[:1-19]")


class Settings:
    """Checked options: native for the library, what is not the library's beside it."""

    def __init__(self, call: str, given: dict[str, Any], writes: bool = True) -> None:
        known = [k for k in Options.__annotations__ if writes or k not in _WRITING]
        for name in given:
            if name not in known:
                raise TypeError(f"{call}() got an unexpected keyword argument {name!r}")
        self.snap_threshold_us = float(given.get("snap_threshold_us", 5.0))
        self.progress = given.get("progress")
        self.form, self.level = _form(given.get("compress"))
        self.native = native.Options()
        native.lib.lanefix_options_init(ctypes.byref(self.native))
        self._fill(given)

    def _fill(self, given: dict[str, Any]) -> None:
        o = self.native
        o.snap_threshold_ns = threshold_ns(self.snap_threshold_us)
        o.rebase = _rebase(given.get("rebase", "never"))
        for name in ("unfold", "annotate", "in_place"):
            if name in given:
                setattr(o, name, 1 if given[name] else 0)
        indent = given.get("indent")
        if indent is None and given.get("pretty", False):
            indent = 2
        if indent is not None:
            o.indent = _whole("indent", indent, 0, 16)
        for name, high in (("max_lanes", 2**32 - 1), ("max_memory", 2**64 - 1), ("threads", 1024),
                           ("spool_memory", 2**64 - 1), ("max_changes", 2**63 - 1)):
            if given.get(name) is not None:
                setattr(o, name, _whole(name, given[name], 0, high))
        if given.get("window_log_max") is not None:
            o.window_log_max = _whole("window_log_max", given["window_log_max"], 10, 31)
        if given.get("spool_dir") is not None:
            o.spool_dir = encoded_path(given["spool_dir"])


def encoded_path(path: str | os.PathLike[str]) -> bytes:
    encoded = os.fsencode(path)
    if b"\0" in encoded:
        raise ValueError("embedded null byte")
    return encoded
