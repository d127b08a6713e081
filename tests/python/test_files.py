"""File objects and descriptors at both ends: the same bytes as through paths, positions kept, errors
unchanged."""
import bz2
import gzip
import io
import os
import subprocess
import tempfile
import threading

import pytest
import trace_lanefix as t


@pytest.fixture
def want(trace):
    return t.fix_bytes(trace)[0]


def test_open_files(path, tmp_path, want):
    for buffering in (-1, 0):
        with open(path, "rb", buffering) as source, open(tmp_path / "o", "wb", buffering) as target:
            report = t.fix(source, target)
            assert source.read() == b"" and source.tell() == path.stat().st_size
            assert target.tell() == len(want)
            target.write(b"behind")
        assert (tmp_path / "o").read_bytes() == want + b"behind"
        assert (report.source, report.target) == (str(path), str(tmp_path / "o"))


def test_positions(tmp_path, trace, want):
    """A source is read from where it stands, a target written from there."""
    file = tmp_path / "in"
    file.write_bytes(b"head" + trace)
    for buffering in (-1, 0):
        with open(file, "rb", buffering) as source, open(tmp_path / "o", "wb", buffering) as target:
            assert source.read(4) == b"head"
            target.write(b"before ")
            t.fix(source, target)
            assert source.read() == b""
            target.write(b" behind")
        assert (tmp_path / "o").read_bytes() == b"before " + want + b" behind"
    with open(file, "rb") as source:  # back at the begin, but with a buffer full
        source.read(10)
        source.seek(4)
        assert t.check(source).counters.moved == 1
    file.write_bytes(trace)
    with open(file, "rb") as source:
        source.read(10)
        source.seek(0)
        assert t.check(source).counters.moved == 1
        source.seek(0)
        assert t.check(source).counters.moved == 1


def test_read_and_write(tmp_path, trace, want):
    with open(tmp_path / "f", "w+b") as file:
        file.write(trace)
        file.seek(0)
        out = io.BytesIO()
        t.fix(file, out)
        assert out.getvalue() == want
        file.seek(0)
        file.truncate()
        t.fix(trace, file)
        file.seek(0)
        assert file.read() == want
    with open(tmp_path / "f", "ab") as file:
        file.write(b"+")
        t.fix(trace, file)
    assert (tmp_path / "f").read_bytes() == want + b"+" + want


def test_memory(trace, want):
    source, target = io.BytesIO(trace), io.BytesIO()
    t.fix(source, target)
    assert target.getvalue() == want and source.tell() == len(trace)
    source = io.BytesIO(b"xx" + trace)
    source.seek(2)
    assert t.check(source).counters.moved == 1


def test_compressed_file_objects(path, tmp_path, trace, want):
    """They have a fileno(), but that is of what is compressed."""
    for opener in (gzip.open, bz2.open):
        with opener(tmp_path / "z", "wb") as target:
            t.fix(trace, target)
        with opener(tmp_path / "z", "rb") as file:
            assert file.read() == want
        with opener(tmp_path / "z", "rb") as file:
            assert t.undo(file, tmp_path / "back") == 2
        assert (tmp_path / "back").read_bytes() == trace


def test_temporary_files(trace, want):
    for make in (tempfile.TemporaryFile, tempfile.NamedTemporaryFile, tempfile.SpooledTemporaryFile):
        with make() as source, make() as target:
            source.write(trace)
            source.seek(0)
            t.fix(source, target)
            target.seek(0)
            assert target.read() == want


def test_large_through_every_way(large, tmp_path):
    data = large(3_000_000)
    want = t.fix_bytes(data)[0]
    out = io.BytesIO()
    t.fix(io.BytesIO(data), out)
    assert out.getvalue() == want
    t.fix(io.BytesIO(data), tmp_path / "o", spool_memory=1000, spool_dir=tmp_path)
    assert (tmp_path / "o").read_bytes() == want
    assert [p.name for p in tmp_path.iterdir()] == ["o"]


def test_pipes(large, tmp_path):
    data = large(1_000_000)
    want = t.fix_bytes(data)[0]
    (tmp_path / "in").write_bytes(data)
    for bufsize in (-1, 0):
        source = subprocess.Popen(["cat", tmp_path / "in"], stdout=subprocess.PIPE, bufsize=bufsize)
        with open(tmp_path / "out", "wb") as sink:
            target = subprocess.Popen(["cat"], stdin=subprocess.PIPE, stdout=sink, bufsize=bufsize)
            t.fix(source.stdout, target.stdin)
            target.stdin.close()
            assert target.wait() == source.wait() == 0
            source.stdout.close()
        assert (tmp_path / "out").read_bytes() == want


def test_pipe_of_which_some_was_read(trace):
    read, write = os.pipe()
    with open(write, "wb") as file:
        file.write(b"0123456789" + trace)
    with open(read, "rb") as source:
        assert source.read(10) == b"0123456789"
        assert t.check(source).counters.moved == 1


def test_descriptors(path, tmp_path, want):
    source = os.open(path, os.O_RDONLY)
    target = os.open(tmp_path / "o", os.O_WRONLY | os.O_CREAT)
    t.fix(source, target)
    os.close(source)  # both are still open
    os.close(target)
    assert (tmp_path / "o").read_bytes() == want


def test_no_descriptor_is_left(path, tmp_path, trace):
    before = os.listdir("/proc/self/fd")
    for _ in range(3):
        with open(path, "rb") as source:
            t.fix(source, tmp_path / "o")
        t.fix_bytes(trace)
        t.check(io.BytesIO(trace))
        with pytest.raises(ValueError):
            t.fix_bytes(b"no trace")
        with pytest.raises(TypeError):
            t.fix(trace, None)
    assert len(os.listdir("/proc/self/fd")) == len(before)


def test_text_files_are_refused(path, tmp_path, trace):
    with open(path) as source, pytest.raises(TypeError, match="rb"):
        t.check(source)
    with pytest.raises(TypeError):
        t.check(io.StringIO("[]"))
    with open(tmp_path / "o", "w") as target, pytest.raises(TypeError, match="wb"):
        t.fix(trace, target)


def test_files_of_the_wrong_mode(path, trace):
    with open(path, "rb") as file, pytest.raises(io.UnsupportedOperation):
        t.fix(trace, file)
    with open(path, "ab") as file, pytest.raises(io.UnsupportedOperation):
        t.check(file)
    file = open(path, "rb")
    file.close()
    with pytest.raises(ValueError, match="closed"):
        t.check(file)


class Odd(Exception):
    pass


class Reader:
    """Has read() only, which gives what is asked in odd pieces."""

    def __init__(self, data, fails_at=None, error=None):
        self.data, self.at, self.fails_at, self.error = data, 0, fails_at, error

    def read(self, n):
        if self.fails_at is not None and self.at >= self.fails_at:
            raise self.error
        piece = self.data[self.at:self.at + min(n, 7)]
        self.at += len(piece)
        return piece


class Writer:
    def __init__(self, error=None, takes=None):
        self.data, self.error, self.takes = b"", error, takes

    def write(self, data):
        if self.error is not None:
            raise self.error
        data = bytes(data)[:self.takes]
        self.data += data
        return len(data) if self.takes else None


def test_own_objects(trace, want):
    for takes in (None, 100):
        target = Writer(takes=takes)
        t.fix(Reader(trace), target)
        assert target.data == want


@pytest.mark.parametrize("error", [Odd("odd"), KeyboardInterrupt(), SystemExit(3), OSError(5, "five"),
                                   MemoryError(), ValueError("v")])
def test_exceptions_come_out_unchanged(trace, tmp_path, error):
    with pytest.raises(type(error)) as caught:
        t.fix(Reader(trace, 100, error), tmp_path / "o")
    assert caught.value is error
    with pytest.raises(type(error)) as caught:
        t.fix(trace, Writer(error))
    assert caught.value is error
    outcome = []

    def elsewhere():
        try:
            t.check(Reader(trace, 0, error))
        except BaseException as raised:
            outcome.append(raised)

    thread = threading.Thread(target=elsewhere)
    thread.start()
    thread.join()
    assert outcome == [error]
    assert list(tmp_path.iterdir()) == []


def test_objects_that_lie(trace):
    class Lies(io.RawIOBase):
        def __init__(self, answer):
            self.answer = answer

        def readable(self):
            return True

        writable = readable

        def readinto(self, buffer):
            return self.answer

        def write(self, data):
            return self.answer

    for answer in (None, 10**9, -1, "x"):
        with pytest.raises((BlockingIOError, OSError, ValueError, TypeError)):
            t.check(Lies(answer))
        with pytest.raises((BlockingIOError, OSError, ValueError, TypeError)):
            t.fix(trace, Lies(answer))
    with pytest.raises(TypeError, match="str"):
        t.check(Reader("text" * 10))


def test_a_pipe_whose_reader_left(large):
    read, write = os.pipe()
    os.close(read)
    with pytest.raises(BrokenPipeError):
        t.fix(large(1_000_000), write)
    os.close(write)
