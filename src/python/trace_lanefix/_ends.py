"""Where a trace comes from and goes to: paths, bytes, descriptors, file objects.

What the system can read and write by itself is handed over as a descriptor, so that no Python runs
meanwhile: a duplicate, which stays good whatever becomes of the caller's. File objects that have none,
or that have read ahead of theirs, are called. What they raise is kept for the caller, unchanged.
"""
from __future__ import annotations

import ctypes
import errno
import io
import os
import select
import stat
from typing import Any, Callable

from . import _native as native
from ._options import Settings, encoded_path
from ._stop import Stop

# Bytes as they are, or as a mapping; str and paths name files.
_BYTES = (bytes, bytearray, memoryview)
_LOOK_MS = 200
_SYSTEM_FILES = (io.FileIO, io.BufferedReader, io.BufferedWriter, io.BufferedRandom)


def memory_file() -> int:
    """A descriptor of a file without a name, in memory where the system has that."""
    if hasattr(os, "memfd_create"):
        return os.memfd_create("lanefix", os.MFD_CLOEXEC)
    import tempfile

    with tempfile.TemporaryFile() as file:
        return os.dup(file.fileno())


def write_all(fd: int, data: Any) -> None:
    rest = memoryview(data).cast("B")
    while rest:
        rest = rest[os.write(fd, rest):]


def read_all(fd: int) -> bytes:
    with open(os.dup(fd), "rb", buffering=0) as file:
        file.seek(0)
        return file.readall()


def _is_regular(fd: int) -> bool:
    return stat.S_ISREG(os.fstat(fd).st_mode)


class _Stopped(Exception):
    """The run is to stop: no fault of a file object."""


class _End:
    """One end of a run. name: in messages; may_block: reading or writing may take for ever;
    error: what a file object raised."""

    def __init__(self, name: str, stop: Stop) -> None:
        self.name = name
        self.may_block = False
        self.error: BaseException | None = None
        self._stop = stop
        self._own_fd = -1
        self._finish: Callable[[], object] | None = None

    def _take(self, fd: int) -> int:
        self._own_fd = os.dup(fd)
        self.may_block = not _is_regular(fd)
        return self._own_fd

    def _name_of(self, obj: Any, otherwise: str) -> str:
        name = getattr(obj, "name", None)
        return name if isinstance(name, str) and "\0" not in name else otherwise

    def _guarded(self, call: Callable[[], int], failed: Callable[[int], int]) -> int:
        """The result of call; failed(errno) where it raises or the run is to stop."""
        if self.error is not None or self._stop.is_set():
            return failed(errno.ECANCELED)
        try:
            return call()
        except _Stopped:
            return failed(errno.ECANCELED)
        except BaseException as error:  # whatever it is, it is the caller's
            self.error = error
            return failed(errno.EIO)

    def finish(self) -> None:
        """After a run that succeeded: the file object knows where its file stands."""
        if self._finish is not None:
            self._finish()

    def close(self) -> None:
        if self._own_fd >= 0:
            os.close(self._own_fd)
            self._own_fd = -1


class Source(_End):
    def __init__(self, obj: Any, stop: Stop) -> None:
        super().__init__("input", stop)
        self.native = native.Input(fd=-1)
        if isinstance(obj, (str, os.PathLike)):
            self.native.path = encoded_path(obj)
            self.name = os.fsdecode(obj)
            self.may_block = not os.path.isfile(obj)
        elif isinstance(obj, _BYTES):
            self._own_fd = memory_file()
            write_all(self._own_fd, obj)
            os.lseek(self._own_fd, 0, os.SEEK_SET)
            self.native.fd = self._own_fd
        elif isinstance(obj, int) and not isinstance(obj, bool):
            self.native.fd = self._take(obj)
        elif isinstance(obj, io.TextIOBase) or not hasattr(obj, "read"):
            raise TypeError(f"source: {obj!r}: expected a path, bytes, a file object of mode \"rb\" "
                            "or a descriptor")
        else:
            self._open_file(obj)
        self.native.name = os.fsencode(self.name)

    def _open_file(self, obj: Any) -> None:
        regular = True
        self.name = self._name_of(obj, self.name)
        if isinstance(obj, _SYSTEM_FILES):
            if not obj.readable():
                raise io.UnsupportedOperation("not readable")
            obj.flush()
            regular = _is_regular(obj.fileno())
            if isinstance(obj, io.FileIO) or (regular and obj.tell() == 0):
                if regular:
                    os.lseek(obj.fileno(), obj.tell(), os.SEEK_SET)
                    self._finish = lambda: obj.seek(0, os.SEEK_END)
                self.native.fd = self._take(obj.fileno())
                return
        self.may_block = True
        into = getattr(obj, "readinto", None)
        if isinstance(obj, io.BufferedReader) and not regular:
            into = self._watched(obj)
        self.native.read = native.READ(
            lambda _, buf, n: self._guarded(lambda: self._read(obj, into, buf, n),
                                            lambda number: -number))

    def _watched(self, obj: io.BufferedReader) -> Callable[[Any], int]:
        """readinto of a pipe's reader that never waits inside of it, where it would hold the lock that
        Python wants when it ends. Waits for the pipe though the buffer may hold something: all is read
        until the pipe ends anyway."""
        poll = select.poll()
        poll.register(obj.fileno(), select.POLLIN)

        def into(buffer: Any) -> int:
            while not poll.poll(_LOOK_MS):
                if self._stop.is_set():
                    raise _Stopped
            return obj.readinto1(buffer)

        return into

    def _read(self, obj: Any, into: Any, buf: int, n: int) -> int:
        if into is not None:
            got = into(memoryview((ctypes.c_char * n).from_address(buf)).cast("B"))
        else:
            data = obj.read(n)
            if data is not None and not isinstance(data, _BYTES):
                raise TypeError(f"read() returned {type(data).__name__}: expected bytes")
            got = None if data is None else memoryview(data).nbytes
            if data is not None and memoryview(data).nbytes <= n:
                ctypes.memmove(buf, bytes(data), memoryview(data).nbytes)
        if got is None:
            raise BlockingIOError(errno.EAGAIN, "read() returned None: expected a blocking file")
        if not 0 <= got <= n:
            raise ValueError(f"read of {n} bytes returned {got}")
        return int(got)


class Target(_End):
    def __init__(self, obj: Any, stop: Stop, settings: Settings) -> None:
        super().__init__("output", stop)
        self.native = native.Output(fd=-1, form=settings.form, level=settings.level)
        if isinstance(obj, (str, os.PathLike)):
            self.native.path = encoded_path(obj)
            self.name = os.fsdecode(obj)
            self.may_block = os.path.exists(obj) and not os.path.isfile(obj)
        elif isinstance(obj, int) and not isinstance(obj, bool):
            self.native.fd = self._take(obj)
        elif isinstance(obj, io.TextIOBase) or not hasattr(obj, "write"):
            raise TypeError(f"target: {obj!r}: expected a path, a file object of mode \"wb\" or a "
                            "descriptor")
        else:
            self._open_file(obj)
        self.native.name = os.fsencode(self.name)

    def _open_file(self, obj: Any) -> None:
        self.name = self._name_of(obj, self.name)
        if isinstance(obj, _SYSTEM_FILES):
            if not obj.writable():
                raise io.UnsupportedOperation("not writable")
            obj.flush()
            if obj.seekable():
                os.lseek(obj.fileno(), obj.tell(), os.SEEK_SET)
                self._finish = obj.tell  # which asks the system
            self.native.fd = self._take(obj.fileno())
            return
        self.may_block = True
        self.native.write = native.WRITE(
            lambda _, buf, n: self._guarded(lambda: self._write(obj, buf, n),
                                            lambda number: number))

    def _write(self, obj: Any, buf: int, n: int) -> int:
        rest = memoryview(ctypes.string_at(buf, n))
        while rest:
            took = obj.write(rest)
            if took is None:
                if isinstance(obj, io.RawIOBase):
                    raise BlockingIOError(errno.EAGAIN, "write() returned None: expected a blocking "
                                          "file")
                took = len(rest)
            if not 0 < took <= len(rest):
                raise ValueError(f"write() of {len(rest)} bytes returned {took}")
            rest = rest[took:]
        return 0
