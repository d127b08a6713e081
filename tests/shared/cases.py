#!/usr/bin/env python3
"""Every small input of ../shared/cases comes out as its README says. Accepted ones also keep every promise
of ../shared/tools/check_fixed.py with default options, -s 0, -s 0.1 and other thread counts.
"""
import gzip
import json
import os
import re
import subprocess
import tempfile

import common

# Of refused inputs: what the message says, and the byte it names.
REFUSED = {
    "35": ("cut short", 157),
    "37": ("','", 1),
    "39": ("byte-order mark", 0),
    "42": ("dur", 143),
    "71": ("ends in the middle", 105),
}
SAME = {"14", "16", "43"}
# What becomes of slices, by name: (ts, dur, tid) as written; None: not looked at.
SLICES = {
    "01": {1: (120.5, None, 7)},
    "04": {},
    "07": {"main_op": (0.0, 100.0, 77), "bwd_a": (40.0, 100.0, 78), "bwd_b": (90.0, 100.0, 79)},
    "08": {"stream0_k": (0.0, 50.0, 4), "stream2_k": (20.0, 60.0, 2), "stream3_k": (10.0, 20.0, 3)},
    "09": {"x_cross": (60, 80, 9001), "x_after": (150, 5, 9)},
    "11": {"ProfilerStep#3": (None, None, 5)},
    "20": {"b": (50, 100, 7002)},
    "22": {"Stream Sync": (120.0, 35.0, 7001)},
    "28": {"launch2": (16, 4, "3239786240")},
    "59": {"b": (50, 100, 901001)},
    "61": {"b": (50, 100, 4294969)},
}
LANES = {"02": 1, "09": 1, "12": 1, "22": 1, "24": 1, "49": 1, "59": 1, "61": 1, "07": 0, "08": 0, "01": 0, "11": 0,
         "17": 0}
MOVED = {"02": 1, "07": 0, "08": 0, "09": 1, "11": 0, "17": 0, "22": 1, "49": 88}


def unpacked(path):
    data = open(path, "rb").read()
    if data[:2] == b"\x1f\x8b":
        return gzip.decompress(data)
    if data[:4] == b"\x28\xb5\x2f\xfd":
        return subprocess.run(["zstd", "-dcq"], input=data, stdout=subprocess.PIPE, check=True).stdout
    return data


def rows_of(events, pid):
    """The tids of a process in the order in which Perfetto shows them (DESIGN, section 2)."""
    index = {}
    for e in events:
        if e.get("ph") == "M" and e.get("name") == "thread_sort_index" and e["pid"] == pid:
            index.setdefault(e["tid"], e["args"]["sort_index"])
    tids = {e["tid"] for e in events if e.get("ph") == "X" and e["pid"] == pid}
    return sorted(tids, key=lambda t: (index.get(t, 0), t != pid, isinstance(t, str), t))


def refused(count, number, path, out):
    text, offset = REFUSED[number]
    status, stdout, err = common.run(path, out)
    count.check(status == 3, f"{number}: status {status}")
    count.check(stdout == b"" and err.count("\n") == 1, f"{number}: not one line: {err!r}")
    count.check(text in err and (offset is None or re.search(rf"byte {offset}\b", err)), f"{number}: {err!r}")
    count.check(not os.path.exists(out), f"{number}: an output file stands there")


def accepted(count, check_fixed, number, path, out):
    status, stdout, err = common.run(path, out)
    if not count.check(status == 0 and stdout == b"", f"{number}: status {status}: {err}"):
        return
    figures, bad = check_fixed.check(path, out, 5.0)
    count.check(not bad, f"{number}: {bad[:2]}")
    if number in SAME:
        count.check(unpacked(out) == unpacked(path), f"{number}: not byte-identical")
    if number in LANES:
        count.check(figures["lanes"] == LANES[number], f"{number}: {figures['lanes']} lanes")
    if number in MOVED:
        count.check(figures["moved"] == MOVED[number], f"{number}: {figures['moved']} moved")
    special(count, check_fixed, number, path, out, err, figures)
    refused = sum(len(check_fixed.judge(check_fixed.load(path))[k]) for k in ("overlapping", "too_deep", "negative"))
    status, _, err = common.run("--check", path)
    count.check(status == (1 if refused else 0) and f"refuses {refused} of" in err, f"{number} --check: {status}, {err[-90:]}")
    for options in (["-s", "0"], ["-s", "0.1"], ["-t", "8"]):
        threshold = float(options[1]) if options[0] == "-s" else 5.0
        common.run("-q", *options, path, out)
        _, bad = check_fixed.check(path, out, threshold)
        count.check(not bad, f"{number} {options}: {bad[:2]}")


def special(count, check_fixed, number, path, out, err, figures):
    before, after = unpacked(path), unpacked(out)
    if number in SLICES:
        events = json.loads(after)["traceEvents"]
        for name, want in SLICES[number].items():
            e = events[name] if isinstance(name, int) else next(e for e in events if e.get("name") == name)
            for key, value in zip(("ts", "dur", "tid"), want):
                count.check(value is None or e[key] == value, f"{number}: {name}: {key} is {e[key]!r}")
    if number == "02":
        events = json.loads(after)["traceEvents"]
        count.check(events[7]["tid"] == 7001 and events[5]["tid"] == 7, "02: the arrows' ends")
    if number == "04":
        count.check(figures["shift_ns"] == 1, f"04: shifted by {figures['shift_ns']} ns")
    if number == "06":
        count.check(b'"ts":"1712345678901234.120"' in after and b'"dur":"3.000"' in after, "06: strings stay strings")
    if number == "13":
        count.check("negative" in err and figures["snapped"] == 0 and
                    any(e.get("dur") == 0 for e in json.loads(after)["traceEvents"]), f"13: {err}")
    if number == "12":
        count.check(figures["snapped"] == 0, "12: snapped")
    if number == "17":
        count.check(figures["max_shift_ns"] < 5000, "17: shifted too far")
    if number == "23":
        binds = check_fixed.judge(check_fixed.load(out))
        count.check(binds["events"][binds["flow_binds"][5]]["name"] == "inner_short", "23: the arrow's slice")
    if number == "24":
        events = json.loads(after)["traceEvents"]
        count.check([events[0]["tid"], events[1]["tid"]] == [9001, 9], "24: the shorter slice moves")
        count.check(events[2]["tid"] == events[1]["tid"] and events[2]["ts"] == 70.0, "24: the endpoint")
    if number in ("30", "31"):
        name = re.search(rb'"name":\s*("(?:[^"\\]|\\.)*")', before, re.S).group(1)
        count.check(name in after, f"{number}: the name's bytes")
    if number in ("33", "44", "46"):
        args = re.findall(rb'"args":\s*\{.*?\}', before, re.S)
        count.check(all(a[:-1] in after for a in args), f"{number}: args")
    if number == "34":
        count.check("not closed" in err and after.endswith(before[-3:]), f"34: {err}")
    if number == "36":
        count.check(re.search(rb",\s*\]", after) is not None, "36: the comma stays")
    if number == "47":
        names = re.findall(rb'"name":"[^"]*"', before)
        count.check(all(n in after for n in names), "47: names")
    if number == "59":
        rows = rows_of(json.loads(after)["traceEvents"], 1)
        count.check(rows == [900, 901, 901001], f"59: rows {rows}")
    if number == "20":
        rows = rows_of(json.loads(after)["traceEvents"], 0)
        count.check(rows == [7, 7002, 8, 7001, "7 lane 1"], f"20: rows {rows}")
    if number == "74":
        count.check(open(out, "rb").read(4) == b"\x28\xb5\x2f\xfd", "74: zstd out")


def main():
    folder = common.need("cases")
    check_fixed = common.checker()
    count = common.Count()
    names = sorted(n for n in os.listdir(folder) if ".json" in n)
    count.check(len(names) == 39, f"{len(names)} cases")
    with tempfile.TemporaryDirectory() as temp:
        for name in names:
            path = os.path.join(folder, name)
            out = os.path.join(temp, name)
            number = name.split("-")[0]
            (refused(count, number, path, out) if number in REFUSED
             else accepted(count, check_fixed, number, path, out))
    count.end()


if __name__ == "__main__":
    main()
