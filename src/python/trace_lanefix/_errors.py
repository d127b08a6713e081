"""A failed call of the library as a Python exception."""
from __future__ import annotations

import os

from . import _native as native


class TraceError(ValueError):
    """The input cannot be read as a trace, or was edited since (undo).

    offset: the byte in the decompressed trace, packed_offset: in the compressed file; None where
    unknown.
    """

    offset: int | None
    packed_offset: int | None

    def __init__(self, message: str, offset: int | None = None,
                 packed_offset: int | None = None) -> None:
        super().__init__(message)
        self.offset = offset
        self.packed_offset = packed_offset

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (self.args[0], self.offset, self.packed_offset)


class LimitError(TraceError):
    """A limit was reached: max_lanes, the size of one event, of a zstd window."""


class Cancelled(Exception):
    """The progress function asked to stop."""


def _offset(value: int) -> int | None:
    return None if value == native.NO_OFFSET else value


def _system_error(number: int, message: str, names: tuple[str, ...]) -> OSError:
    """With the file that the message begins with as filename, as open() has it."""
    if number == 0:
        return OSError(message)
    for name in names:
        if message.startswith(name + ": "):
            return OSError(number, message[len(name) + 2:], name)
    return OSError(number, message)


def exception_of(error: native.Error, names: tuple[str, ...]) -> Exception:
    """names: of the input and the output, as the library knows them."""
    message = os.fsdecode(error.message)
    if error.status == native.ERR_ARGUMENT:
        return ValueError(message)
    if error.status == native.ERR_IO:
        return _system_error(error.sys_errno, message, names)
    if error.status == native.ERR_MEMORY:
        return MemoryError(message)
    if error.status == native.ERR_CANCELLED:
        return Cancelled(message)
    kind = LimitError if error.status == native.ERR_LIMIT else TraceError
    return kind(message, _offset(error.offset), _offset(error.packed_offset))
