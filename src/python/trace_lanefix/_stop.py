"""Running the library so that a run can be stopped: by a signal's handler, a file object, a function.

Python runs signal handlers in the main thread, between two steps of Python; there the library's call is
therefore left to another thread, and the main thread waits in Python.
"""
from __future__ import annotations

import ctypes
import threading
from typing import Callable, TypeVar

from . import _native as native
from ._report import Progress

_Result = TypeVar("_Result")

# How long a run that was stopped is waited for where its files may block for ever.
_GRACE_S = 1.0
_LOOK_S = 0.2


class Stop:
    """A flag that the library asks through its progress function.

    That function is C's atoi, on a text "0" or "1": one written in Python would want the GIL many times a
    second, and wait for it while other threads compute. It is one where the caller wants to be told.
    """

    def __init__(self, options: native.Options,
                 progress: Callable[[Progress], object] | None) -> None:
        self.error: BaseException | None = None
        self._flag = ctypes.create_string_buffer(b"0")
        if progress is None:
            options.progress = ctypes.cast(ctypes.CDLL(None).atoi, native.PROGRESS)
            options.progress_arg = ctypes.addressof(self._flag)
        else:
            tell = progress
            options.progress = native.PROGRESS(lambda _, p: self._tell(tell, p.contents))

    def set(self) -> None:
        self._flag[0] = b"1"

    def is_set(self) -> bool:
        return self._flag[0] != b"0"

    def _tell(self, progress: Callable[[Progress], object], p: native.Progress) -> int:
        try:
            if not self.is_set() and progress(Progress(getattr(p, "pass"), p.input_bytes,
                                                       p.input_size, p.trace_bytes)):
                self.set()
        except BaseException as error:  # whatever it is, it is the caller's
            self.error = error
            self.set()
        return int(self.is_set())


def run(work: Callable[[], _Result], stop: Stop, may_block: bool) -> _Result:
    """The result of work; what it raises, or a signal's handler meanwhile. A stopped work is waited for,
    but not for ever where it may_block: then it ends by itself, as soon as its files let it."""
    if threading.current_thread() is not threading.main_thread():
        return work()
    results: list[_Result] = []
    errors: list[BaseException] = []
    begun = threading.Event()
    done = threading.Event()

    def body() -> None:
        begun.set()
        try:
            results.append(work())
        except BaseException as error:
            errors.append(error)
        finally:
            done.set()

    thread = threading.Thread(target=body, name="lanefix", daemon=True)
    try:
        try:
            thread.start()
        except RuntimeError:  # no threads any more: the interpreter ends
            return work()
        while not done.wait(_LOOK_S):
            pass
    except BaseException:
        stop.set()
        if begun.wait(_GRACE_S):  # it may never have been started
            done.wait(_GRACE_S if may_block else None)
        raise
    if errors:
        try:
            raise errors[0]
        finally:
            errors.clear()  # no cycle through the traceback
    return results[0]
