#!/usr/bin/env python3
"""trace_lanefix.fix_overlaps against what any Python tool pays at least: json.load of the same file.

    bench/fix_overlaps.py TRACE [ROUNDS]

Alternating rounds (default 7); prints medians and how many times as fast as json.load. The other lines are the
floor, without any of lanefix: the input read, copied, as many zeros written as the indented output has, synced
as lanefix syncs. TMPDIR says where outputs go, and so which disk is measured. The package must be importable
(make python leaves a venv with it in build/python/venv, or set PYTHONPATH=src/python and LANEFIX_LIBRARY).
"""
import contextlib
import gc
import io
import json
import os
import resource
import statistics
import sys
import tempfile
import time

import trace_lanefix

PIECE = 1 << 20


def cpu_seconds():
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


def measured(call):
    """Seconds on the clock, and of all CPUs."""
    gc.collect()
    cpu = cpu_seconds()
    begin = time.perf_counter()
    with contextlib.redirect_stdout(io.StringIO()):
        call()
    return time.perf_counter() - begin, cpu_seconds() - cpu


def load(path):
    with open(path) as file:
        json.load(file)


def read(path):
    piece = bytearray(PIECE)
    with open(path, "rb", buffering=0) as file:
        while file.readinto(piece):
            pass


def copy(path, out):
    """Read and write through one small buffer, to a new file that takes the place of the old one."""
    piece = bytearray(PIECE)
    with open(path, "rb", buffering=0) as source, open(out + ".new", "wb", buffering=0) as target:
        while n := source.readinto(piece):
            target.write(memoryview(piece)[:n])
    os.rename(out + ".new", out)


def write(n, out, sync):
    piece = bytes(PIECE)
    with open(out + ".new", "wb", buffering=0) as target:
        for at in range(0, n, PIECE):
            target.write(piece[:n - at])
        if sync:
            os.fsync(target.fileno())
    os.rename(out + ".new", out)


def main():
    path = sys.argv[1]
    rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 7
    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, "out.json")
        with contextlib.redirect_stdout(io.StringIO()):
            trace_lanefix.fix_overlaps(path, out)
        n_out = os.path.getsize(out)
        calls = {
            "json.load": lambda: load(path),
            "fix_overlaps": lambda: trace_lanefix.fix_overlaps(path, out),
            "fix_overlaps, pretty=False": lambda: trace_lanefix.fix_overlaps(path, out, pretty=False),
            "read": lambda: read(path),
            "read, write (a copy)": lambda: copy(path, out),
            "write what pretty writes": lambda: write(n_out, out, sync=False),
            "write and sync that": lambda: write(n_out, out, sync=True),
        }
        took = {name: [] for name in calls}
        for _ in range(rounds):
            for name, call in calls.items():
                took[name].append(measured(call))
    base = statistics.median(wall for wall, _ in took["json.load"])
    print(f"{os.path.getsize(path) / 1e6:.0f} MB, {n_out / 1e6:.0f} MB indented; median of {rounds}")
    print(f"{'':28}  on the clock (least to most)    CPU      as fast as json.load")
    for name, values in took.items():
        walls = [wall for wall, _ in values]
        median = statistics.median(walls)
        cpu = statistics.median(cpu for _, cpu in values)
        print(f"{name:28} {median:7.3f} s  ({min(walls):.3f} to {max(walls):.3f})  {cpu:7.3f} s "
              f"{base / median:7.1f} times")


if __name__ == "__main__":
    main()
