"""Runs that are stopped, and that leave Python running meanwhile."""
import io
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time

import pytest
import trace_lanefix as t

# Fixes source to target over and over, so that a signal comes in the midst of one; says when it begins.
LOOP = """
import sys, time, trace_lanefix as t
source, target = sys.argv[1:]
try:
    print("begun", flush=True)
    while True:
        t.fix(source, target, pretty=True)
except KeyboardInterrupt:
    print("interrupted", flush=True)
    raise
"""


@pytest.fixture
def start():
    """Starts Python on a piece of code, as a terminal would: with signals that are not ignored."""
    processes = []

    def begin(code, *arguments, **more):
        processes.append(subprocess.Popen([sys.executable, "-c", code, *map(str, arguments)],
                                          stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                          preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
                                          **more))
        return processes[-1]

    yield begin
    for process in processes:
        process.kill()
        process.wait()


def test_interrupt(start, large, tmp_path):
    source = tmp_path / "in.json"
    source.write_bytes(large(20_000_000))
    want = t.fix_bytes(source.read_bytes(), pretty=True)[0]
    for delay in (0.0, 0.05, 0.11, 0.2, 0.33):
        process = start(LOOP, source, tmp_path / "out.json")
        assert process.stdout.readline() == b"begun\n"
        time.sleep(delay)
        process.send_signal(signal.SIGINT)
        begin = time.monotonic()
        out, err = process.communicate(timeout=20)
        assert time.monotonic() - begin < 5
        assert process.returncode == -signal.SIGINT
        assert out == b"interrupted\n" and b"KeyboardInterrupt" in err
        left = {p.name for p in tmp_path.iterdir()} - {"in.json"}
        assert left <= {"out.json"}  # of a run before
        if left:
            assert (tmp_path / "out.json").read_bytes() == want
            os.remove(tmp_path / "out.json")


def test_interrupt_of_a_pipe_that_says_nothing(start, tmp_path):
    """The run itself waits in the system; Ctrl-C is not to wait with it."""
    code = "import sys, trace_lanefix as t\nprint('begun', flush=True)\nt.fix({}, sys.argv[1])"
    for source in ("0", "sys.stdin.buffer", "sys.stdin.buffer.raw", "'/dev/stdin'"):
        process = start(code.format(source), tmp_path / "out", stdin=subprocess.PIPE)
        assert process.stdout.readline() == b"begun\n"
        time.sleep(0.3)
        process.send_signal(signal.SIGINT)
        begin = time.monotonic()
        assert process.wait(timeout=20) == -signal.SIGINT
        assert time.monotonic() - begin < 5
        process.communicate()
        assert list(tmp_path.iterdir()) == []


def test_any_handler_that_raises(large, tmp_path):
    class Late(Exception):
        pass

    def late(*_):
        raise Late

    data = large(20_000_000)
    before = signal.signal(signal.SIGALRM, late)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.03)
        with pytest.raises(Late):
            for _ in range(100):
                t.fix(data, tmp_path / "out", compress="zstd:19")
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert list(tmp_path.iterdir()) == []


def test_handler_that_does_not_raise(large):
    seen = []
    before = signal.signal(signal.SIGALRM, lambda *_: seen.append(1))
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.002, 0.002)
        data = large(10_000_000)
        for _ in range(3):
            assert t.check(data).counters.moved == 1
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert seen


def test_progress(large):
    seen = []
    data = large(4_000_000)
    assert t.fix_bytes(data, progress=seen.append)[0] == t.fix_bytes(data)[0]
    assert {p.pass_number for p in seen} == {1, 2}
    first = [p for p in seen if p.pass_number == 1]
    assert all(p.input_size == len(data) for p in seen)
    assert [p.trace_bytes for p in first] == sorted(p.trace_bytes for p in first)
    assert first[-1].input_bytes <= len(data)


def test_progress_stops(path, tmp_path):
    with pytest.raises(t.Cancelled):
        t.fix(path, tmp_path / "out", progress=lambda p: p.pass_number == 2)
    assert not (tmp_path / "out").exists()


def test_progress_stops_a_reader(large):
    with pytest.raises(t.Cancelled):
        t.check(io.BytesIO(large(3_000_000)), progress=lambda p: p.trace_bytes > 10**6)


def test_progress_raises(path, tmp_path):
    error = LookupError("mine")

    def progress(_):
        raise error

    with pytest.raises(LookupError) as caught:
        t.fix(path, tmp_path / "out", progress=progress)
    assert caught.value is error
    assert not (tmp_path / "out").exists()


def test_the_gil_is_released(large):
    """Another thread goes on counting while a run is under way, also one that computes all the time."""
    data = large(20_000_000)
    counted = 0
    end = threading.Event()

    def count():
        nonlocal counted
        while not end.is_set():
            counted += 1

    def best(**options):
        took = []
        for _ in range(4):
            begin = time.monotonic()
            t.check(data, **options)
            took.append(time.monotonic() - begin)
        return min(took)

    alone = best()
    thread = threading.Thread(target=count)
    thread.start()
    try:
        before = counted
        beside = best()
        meanwhile = counted - before
    finally:
        end.set()
        thread.join()
    assert meanwhile > 100
    # a progress function in Python would wait 5 ms for the GIL some 80 times
    assert beside < 3 * alone + 0.2, (beside, alone)


def test_many_threads(trace, large):
    some, wanted = [trace, large(300_000)], []
    wanted = [t.fix_bytes(data)[0] for data in some]
    wrong = []

    def work(i):
        for _ in range(20):
            if t.fix_bytes(some[i % 2])[0] != wanted[i % 2]:
                wrong.append(i)

    threads = [threading.Thread(target=work, args=(i,)) for i in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_after_fork(trace):
    t.check(trace)
    code = ("import os, sys, trace_lanefix as t\nd = open(sys.argv[1], 'rb').read()\n"
            "t.check(d)\npid = os.fork()\nn = t.check(d).counters.moved\n"
            "if pid == 0: os._exit(0 if n == 1 else 1)\n"
            "sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))")
    with tempfile.NamedTemporaryFile() as file:
        file.write(trace)
        file.flush()
        assert subprocess.run([sys.executable, "-W", "ignore", "-c", code, file.name], timeout=60).returncode == 0
