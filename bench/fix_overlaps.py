#!/usr/bin/env python3
"""trace_lanefix.fix_overlaps against what any Python tool pays at least: json.load of the same file.

    bench/fix_overlaps.py TRACE [ROUNDS]

Alternating rounds (default 5); prints medians and ratios. The package must be importable (make python leaves a
venv with it in build/python/venv, or set PYTHONPATH=src/python and LANEFIX_LIBRARY).
"""
import contextlib
import gc
import io
import json
import os
import statistics
import sys
import tempfile
import time

import trace_lanefix


def seconds(call):
    gc.collect()
    begin = time.perf_counter()
    with contextlib.redirect_stdout(io.StringIO()):
        call()
    return time.perf_counter() - begin


def load(path):
    with open(path) as file:
        json.load(file)


def main():
    path = sys.argv[1]
    rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 5
    took = {"json.load": [], "fix_overlaps": [], "fix_overlaps, pretty=False": []}
    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, "out.json")
        for _ in range(rounds):
            took["json.load"].append(seconds(lambda: load(path)))
            took["fix_overlaps"].append(seconds(lambda: trace_lanefix.fix_overlaps(path, out)))
            took["fix_overlaps, pretty=False"].append(
                seconds(lambda: trace_lanefix.fix_overlaps(path, out, pretty=False)))
    base = statistics.median(took["json.load"])
    print(f"{os.path.getsize(path) / 1e6:.0f} MB, median of {rounds}")
    for name, values in took.items():
        median = statistics.median(values)
        print(f"{name:28} {median:7.3f} s  ({min(values):.3f} to {max(values):.3f})  {base / median:5.1f} times as fast")


if __name__ == "__main__":
    main()
