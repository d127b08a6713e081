#!/usr/bin/env python3
"""A lane's row stands directly under its track, and all other rows keep their order: random processes,
sorted as Perfetto sorts rows. Independent of ../shared.
"""
import json
import os
import random
import tempfile

import common


def process(rng, pid, style):
    """Events of one process with crossing slices on some of its tracks."""
    events, tids = [], rng.sample(range(1, 60), rng.randrange(1, 7))
    if rng.random() < 0.5:
        tids[0] = pid
    for i, tid in enumerate(tids):
        ts = {"ts": rng.choice([0, 5.5])} if rng.random() < 0.3 else {}
        if style == "all" or (style == "some" and rng.random() < 0.5):
            events.append({"ph": "M", "name": "thread_sort_index", "pid": pid, "tid": tid, **ts,
                           "args": {"sort_index": 10 * rng.randrange(1, 9) + i if style == "all" else 100 + 10 * i}})
        if rng.random() < 0.5:
            events.append({"ph": "M", "name": "thread_name", "pid": pid, "tid": tid, "args": {"name": f"t{tid}"}})
        events.append({"ph": "X", "name": "a", "pid": pid, "tid": tid, "ts": 0, "dur": 100})
        for k in range(rng.choice([0, 0, 1, 2])):
            events.append({"ph": "X", "name": "b", "pid": pid, "tid": tid, "ts": 20 + 20 * k, "dur": 100})
    return events


def rows(events, pid):
    index, at = {}, {}
    for e in events:
        if e["ph"] == "M" and e["name"] == "thread_sort_index" and e["pid"] == pid:
            if e["tid"] not in at or e.get("ts", 0) < at[e["tid"]]:
                index[e["tid"]], at[e["tid"]] = e["args"]["sort_index"], e.get("ts", 0)
    tids = {e["tid"] for e in events if e["ph"] == "X" and e["pid"] == pid}
    return sorted(tids, key=lambda t: (index.get(t, 0), t != pid, t))


def main():
    rng = random.Random(5)
    count = common.Count()
    events, styles = [], {}
    for pid in range(1000, 1400):
        styles[pid] = rng.choice(["none", "some", "all"])
        events += process(rng, pid, styles[pid])
    with tempfile.TemporaryDirectory() as folder:
        a, b = os.path.join(folder, "a.json"), os.path.join(folder, "b.json")
        json.dump({"traceEvents": events}, open(a, "w"))
        status, _, err = common.run("-q", a, b)
        count.check(status == 0, f"status {status}: {err}")
        after = json.load(open(b))["traceEvents"]
    lane_of = {(y["pid"], y["tid"]): x["tid"] for x, y in zip(events, after)
               if x["ph"] == "X" and x["tid"] != y["tid"]}
    count.check(len(lane_of) > 200, f"only {len(lane_of)} lanes")
    for pid, style in styles.items():
        before, now = rows(events, pid), rows(after, pid)
        want = []
        for tid in before:
            want.append(tid)
            want += sorted(t for (p, t), owner in lane_of.items() if p == pid and owner == tid)
        count.check(now == want, f"pid {pid} ({style}): rows {now}, expected {want}")
    count.end()


if __name__ == "__main__":
    main()
