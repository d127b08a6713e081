#!/usr/bin/env python3
"""Writes data/sample.json: a small trace of our own making, shaped like one of PyTorch's profiler, with
the faults that lanefix mends. Deterministic.

    make_sample.py > sample.json
"""
import json
import random
import sys

PID, DEVICE, STREAM = 4711, 0, 7
BASE = 1234567000.0


def us(value):
    return round(value, 3)


def main():
    rng = random.Random(7)
    events = []

    def add(name, cat, start, dur, pid=PID, tid=PID, **args):
        events.append({"ph": "X", "cat": cat, "name": name, "pid": pid, "tid": tid,
                       "ts": us(BASE + start), "dur": us(dur), "args": args})

    def meta(kind, pid, tid, **args):
        events.append({"name": kind, "ph": "M", "ts": BASE, "pid": pid, "tid": tid, "args": args})

    meta("process_name", PID, 0, name="python")
    meta("process_name", DEVICE, 0, name="python")
    meta("thread_name", PID, PID, name="thread 4711 (python)")
    meta("thread_name", DEVICE, STREAM, name="stream 7")
    meta("thread_sort_index", PID, PID, sort_index=PID)
    meta("thread_sort_index", DEVICE, STREAM, sort_index=STREAM)

    add("train.py(12): <module>", "python_function", 0, 9000)
    gpu_free = 40.0
    flow = 1
    for step in range(3):
        begin = 50 + step * 2900
        frame_end = begin + 2750
        add("train.py(40): train_step", "python_function", begin, 2750, **{"Python id": 2 + step})
        # the annotation ends inside the frames of the optimizer: a real crossing
        add(f"ProfilerStep#{step}", "user_annotation", begin + 5, 2450)
        for layer in range(6):
            start = begin + 20 + layer * 380
            add(f"torch/nn/modules/linear.py({110 + layer}): forward", "python_function", start, 350)
            add("aten::linear", "cpu_op", start + 10, 300, **{"External id": flow})
            add("cudaLaunchKernel", "cuda_runtime", start + 60, 8.5, correlation=flow)
            events.append({"ph": "s", "id": flow, "pid": PID, "tid": PID, "ts": us(BASE + start + 60),
                           "cat": "ac2g", "name": "ac2g"})
            kernel = max(gpu_free, start + 75)
            dur = us(rng.uniform(180, 420))
            if layer % 3 == 2:
                kernel -= us(rng.uniform(0.2, 1.4))  # starts before the one before it has ended
            add("gemm_bf16_128x128", "kernel", kernel, dur, DEVICE, STREAM, stream=7, correlation=flow,
                grid=[96, 2, 1])
            events.append({"ph": "f", "id": flow, "pid": DEVICE, "tid": STREAM, "ts": us(BASE + kernel),
                           "cat": "ac2g", "name": "ac2g", "bp": "e"})
            gpu_free = kernel + dur
            flow += 1
        add("optimizer.py(88): step", "python_function", begin + 2310, 380)
        for i in range(8):
            add(f"adamw.py({40 + i}): _update", "python_function", begin + 2320 + i * 45, 40)
    # one kernel runs far into the next on the same stream
    add("nccl:all_reduce", "kernel", gpu_free - 60, 240, DEVICE, STREAM, stream=7, correlation=flow)
    events.append({"ph": "f", "id": flow, "pid": DEVICE, "tid": STREAM, "ts": us(BASE + gpu_free - 60),
                   "cat": "ac2g", "name": "ac2g", "bp": "e"})
    add("cudaLaunchKernel", "cuda_runtime", 8890, 9, correlation=flow)
    events.append({"ph": "s", "id": flow, "pid": PID, "tid": PID, "ts": us(BASE + 8890), "cat": "ac2g",
                   "name": "ac2g"})

    out = sys.stdout
    out.write('{\n  "schemaVersion": 1,\n  "displayTimeUnit": "ms",\n  "traceEvents": [\n')
    for i, event in enumerate(events):
        out.write("  " + json.dumps(event) + (",\n" if i + 1 < len(events) else "\n"))
    out.write('  ],\n  "traceName": "sample"\n}\n')


if __name__ == "__main__":
    main()
