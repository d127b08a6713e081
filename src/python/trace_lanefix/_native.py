"""lanefix.h in ctypes: structures, values, calls, and where the library is found.

Knows nothing of Python's side. Fields stand in the header's order and under its names; the tests
compare both with the header, and loading refuses a library whose options have another size.
"""
from __future__ import annotations

import ctypes
import ctypes.util
import os
import sys
from ctypes import (CFUNCTYPE, POINTER, Structure, c_char, c_char_p, c_int, c_int64, c_size_t,
                    c_uint, c_uint32, c_uint64, c_void_p)

from ._version import __version__

OK = 0
ERR_ARGUMENT = 1
ERR_INPUT = 2
ERR_IO = 3
ERR_MEMORY = 4
ERR_LIMIT = 5
ERR_CANCELLED = 6

NO_OFFSET = 2**64 - 1
LEVEL_DEFAULT = -1000
N_CROSSING_SIZES = 7

FORM_AUTO = 0
FORM_PLAIN = 1
FORM_GZIP = 2
FORM_ZSTD = 3

REBASE_NEVER = 0
REBASE_AUTO = 1
REBASE_ALWAYS = 2

MOVED = 0
SNAPPED = 1
NEGATIVE = 2


class Error(Structure):
    _fields_ = [
        ("status", c_int),
        ("sys_errno", c_int),
        ("offset", c_uint64),
        ("packed_offset", c_uint64),
        ("message", c_char * 480),
    ]


READ = CFUNCTYPE(c_int64, c_void_p, c_void_p, c_size_t)
WRITE = CFUNCTYPE(c_int, c_void_p, c_void_p, c_size_t)


class Input(Structure):
    _fields_ = [
        ("path", c_char_p),
        ("fd", c_int),
        ("name", c_char_p),
        ("read", READ),
        ("read_arg", c_void_p),
    ]


class Output(Structure):
    _fields_ = [
        ("path", c_char_p),
        ("fd", c_int),
        ("name", c_char_p),
        ("form", c_int),
        ("level", c_int),
        ("write", WRITE),
        ("write_arg", c_void_p),
    ]


class Progress(Structure):
    _fields_ = [
        ("pass", c_int),
        ("input_bytes", c_uint64),
        ("input_size", c_uint64),
        ("trace_bytes", c_uint64),
    ]


PROGRESS = CFUNCTYPE(c_int, c_void_p, POINTER(Progress))


class Options(Structure):
    _fields_ = [
        ("struct_size", c_size_t),
        ("snap_threshold_ns", c_int64),
        ("max_lanes", c_uint32),
        ("unfold", c_int),
        ("rebase", c_int),
        ("annotate", c_int),
        ("indent", c_int),
        ("max_memory", c_uint64),
        ("in_place", c_int),
        ("threads", c_uint),
        ("spool_dir", c_char_p),
        ("spool_memory", c_uint64),
        ("window_log_max", c_int),
        ("max_changes", c_size_t),
        ("progress", PROGRESS),
        ("progress_arg", c_void_p),
    ]


class Counters(Structure):
    _fields_ = [
        ("trace_bytes", c_uint64),
        ("events", c_uint64),
        ("slices", c_uint64),
        ("flow_endpoints", c_uint64),
        ("tracks", c_uint64),
        ("refused", c_uint64),
        ("moved", c_uint64),
        ("snapped", c_uint64),
        ("negative", c_uint64),
        ("start_shift_ns", c_uint64),
        ("end_shift_ns", c_uint64),
        ("lanes", c_uint64),
        ("unfolded", c_uint64),
        ("flows_changed", c_uint64),
        ("rebased_ns", c_int64),
        ("rounding_only", c_uint64),
        ("bad_times", c_uint64),
        ("crossing_pairs", c_uint64),
        ("crossing_sizes", c_uint64 * N_CROSSING_SIZES),
        ("kernels", c_uint64),
        ("kernel_runs", c_uint64),
        ("array_unclosed", c_int),
        ("event_cut", c_int),
    ]


class Track(Structure):
    _fields_ = [
        ("pid", c_char_p),
        ("tid", c_char_p),
        ("lanes", c_uint64),
        ("moved", c_uint64),
        ("snapped", c_uint64),
        ("negative", c_uint64),
    ]


class Unfolded(Structure):
    _fields_ = [
        ("pid", c_char_p),
        ("tid", c_char_p),
        ("new_pid", c_char_p),
        ("new_tid", c_char_p),
    ]


class Change(Structure):
    _fields_ = [
        ("kind", c_int),
        ("offset", c_uint64),
        ("name", c_void_p),  # any bytes, as long as name_nbytes says
        ("name_nbytes", c_size_t),
        ("pid", c_char_p),
        ("tid", c_char_p),
        ("new_tid", c_char_p),
        ("lane", c_uint32),
        ("start_shift_ns", c_int64),
        ("end_shift_ns", c_int64),
        ("crossing_ns", c_int64),
    ]


class Kernel(Structure):
    _fields_ = [
        ("name", c_void_p),
        ("name_nbytes", c_size_t),
        ("runs", c_uint64),
        ("moved", c_uint64),
        ("snapped", c_uint64),
        ("start_shift_ns", c_uint64),
        ("end_shift_ns", c_uint64),
    ]


# name: result, arguments
CALLS = {
    "lanefix_version": (c_char_p, []),
    "lanefix_options_init": (None, [c_void_p]),
    "lanefix_fix": (c_int, [POINTER(Input), POINTER(Output), POINTER(Options), POINTER(c_void_p),
                            POINTER(Error)]),
    "lanefix_fix_file": (c_int, [c_char_p, c_char_p, POINTER(Options), POINTER(c_void_p),
                                 POINTER(Error)]),
    "lanefix_check": (c_int, [POINTER(Input), POINTER(Options), POINTER(c_void_p),
                              POINTER(Error)]),
    "lanefix_undo": (c_int, [POINTER(Input), POINTER(Output), POINTER(Options), POINTER(c_uint64),
                             POINTER(Error)]),
    "lanefix_report_destroy": (None, [c_void_p]),
    "lanefix_report_counters": (POINTER(Counters), [c_void_p]),
    "lanefix_report_track": (c_int, [c_void_p, c_size_t, POINTER(Track)]),
    "lanefix_report_unfolded": (c_int, [c_void_p, c_size_t, POINTER(Unfolded)]),
    "lanefix_report_change": (c_int, [c_void_p, c_int, c_size_t, POINTER(Change)]),
    "lanefix_report_kernel": (c_int, [c_void_p, c_size_t, POINTER(Kernel)]),
}


def _candidates() -> list[str]:
    """Where the library may be, the wanted place first."""
    if os.environ.get("LANEFIX_LIBRARY"):
        return [os.environ["LANEFIX_LIBRARY"]]
    major = __version__.split(".")[0]
    mac = sys.platform == "darwin"
    beside = os.path.join(os.path.dirname(os.path.abspath(__file__)),
                          "liblanefix.dylib" if mac else "liblanefix.so")
    if os.path.exists(beside):
        return [beside]
    installed = f"liblanefix.{major}.dylib" if mac else f"liblanefix.so.{major}"
    found = ctypes.util.find_library("lanefix")
    return [installed] + ([found] if found and found != installed else [])


def _refuse(path: str, lib: ctypes.CDLL) -> str | None:
    """What speaks against the library: another version, or options of another size."""
    try:
        version = lib.lanefix_version().decode("ascii", "replace")
    except AttributeError:
        return f"{path}: not lanefix"
    if version.split(".")[:2] != __version__.split(".")[:2]:
        return f"{path}: lanefix {version}: expected {__version__}"
    room = ctypes.create_string_buffer(ctypes.sizeof(Options) + 4096)
    lib.lanefix_options_init(room)
    nbytes = c_size_t.from_buffer(room).value
    if nbytes != ctypes.sizeof(Options):
        return f"{path}: options of {nbytes} bytes: expected {ctypes.sizeof(Options)}"
    return None


def _bind(path: str) -> ctypes.CDLL:
    lib = ctypes.CDLL(path)
    for name, (result, arguments) in CALLS.items():
        try:
            call = getattr(lib, name)
        except AttributeError as error:
            raise ImportError(f"{path}: has no {name}: expected lanefix {__version__}") from error
        call.restype = result
        call.argtypes = arguments
    fault = _refuse(path, lib)
    if fault is not None:
        raise ImportError(fault)
    return lib


def _load() -> ctypes.CDLL:
    faults = []
    for path in _candidates():
        try:
            return _bind(path)
        except OSError as error:
            faults.append(str(error))
    raise ImportError("liblanefix is neither beside the package nor installed "
                      f"(LANEFIX_LIBRARY names a file): {'; '.join(faults)}")


lib = _load()
