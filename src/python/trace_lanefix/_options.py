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


class _Run(TypedDict, total=False):
    max_memory: int
    threads: int
    spool_dir: str | os.PathLike[str] | None
    spool_memory: int
    window_log_max: int
    progress: Callable[[Progress], object] | None


class _Plan(TypedDict, total=False):
    max_lanes: int
    unfold: bool
    rebase: Literal["never", "auto", "always"] | bool
    max_changes: int | None


class _Snap(TypedDict, total=False):
    snap_threshold_us: float


class _Text(TypedDict, total=False):
    annotate: bool
    pretty: bool
    indent: int | None


class _Target(TypedDict, total=False):
    compress: str | None
    in_place: bool


class Options(_Snap, _Plan, _Text, _Target, _Run, total=False):
    """What fix takes by keyword, with defaults.

    snap_threshold_us=5.0   a crossing is snapped where no boundary moves by this many microseconds or
                            more; 0: none
    max_lanes=64            a track that needs more lanes is an error; 0: no limit
    unfold=True             tracks that Perfetto folds into one get ids of their own
    rebase="never"          take whole seconds off every ts, so that nanoseconds survive Perfetto:
                            "auto" (or True), "always"
    max_changes=None        changes of each kind that the report keeps; None: all
    annotate=True           changed events keep their original values in their args, for undo
    pretty=False            write the trace anew, indented by two spaces: indent=2
    indent=None             write the trace anew, indented by 0 to 16 spaces a level; None: every
                            byte stays
    compress=None           "none", "gzip", "zstd", "gzip:6", "zstd:19"; None: by the target's name,
                            else plain
    in_place=False          source and target may be one file
    max_memory=0            bytes that a run may take; MemoryError where it would need more; 0: no limit
    threads=0               0: as many as there are CPUs
    spool_dir=None          for the temporary copy of a source that cannot seek; None: TMPDIR, /tmp
    spool_memory=8 MiB      such a source of up to so many bytes stays in memory
    window_log_max=27       of a zstd source the largest window, as a power of two, 10 to 31
    progress=None           a function that is called with a Progress now and then, by any thread; a
                            true result stops the run with Cancelled
    """


class OverlapsOptions(_Plan, _Text, _Target, _Run, total=False):
    """What fix_overlaps takes by keyword beside snap_threshold_us: see Options."""


class CheckOptions(_Snap, _Plan, _Run, total=False):
    """What check takes by keyword: see Options."""


class UndoOptions(_Target, _Run, total=False):
    """What undo takes by keyword: see Options."""


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

    def __init__(self, call: str, given: dict[str, Any], kind: type = Options) -> None:
        for name in given:
            if name not in kind.__annotations__:
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
