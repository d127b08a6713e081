#!/usr/bin/env python3
"""--rebase=always: every small input and the smaller real traces, held against the promises after the
same shift was done to the original by independent decimal arithmetic.
"""
import glob
import os
import re
import sys
import tempfile
from decimal import ROUND_HALF_UP, Decimal

import common
from cases import REFUSED, unpacked

EVENT_TS = re.compile(rb'"ts"(\s*:\s*)("?)(-?[0-9.]+)\2')


def shifted(data, base_us):
    """The original with base_us taken off every ts that lanefix would take it off."""
    def one(m):
        ts = Decimal(m.group(3).decode())
        if ts < base_us:
            return m.group(0)
        ns = ((ts - base_us) * 1000).to_integral_value(ROUND_HALF_UP)
        text = format(ns / 1000, "f")
        text = text.rstrip("0").rstrip(".") if "." in text else text
        return b'"ts"' + m.group(1) + text.encode()
    return EVENT_TS.sub(one, data)


def one(count, check_fixed, path, folder):
    name = os.path.basename(path)
    original, fixed, moved = (os.path.join(folder, x) for x in ("a.json", "b.json", "c.json"))
    data = unpacked(path)
    open(original, "wb").write(data)
    status, _, err = common.run("--rebase=always", original, fixed)
    if not count.check(status == 0, f"{name}: status {status}: {err}"):
        return
    m = re.search(r"rebased: (\d+) s taken off", err)
    base_us = int(m.group(1)) * 1000000 if m else 0
    first = min((Decimal(t.decode()) for t in re.findall(rb'"ph":\s*"[^M]"[^{}]*?"ts":\s*"?(-?[0-9.]+)', data)),
                default=Decimal(0))
    count.check(not (first >= 1000000) or base_us > 0, f"{name}: not rebased")
    result = open(fixed, "rb").read()
    if base_us and data.lstrip()[:1] == b"{":
        before = re.search(rb'"baseTimeNanoseconds":\s*(\d+)', data)
        after = re.search(rb'"baseTimeNanoseconds":\s*(\d+)', result)
        count.check(after and int(after.group(1)) == (int(before.group(1)) if before else 0) + base_us * 1000,
                    f"{name}: baseTimeNanoseconds")
        if before:
            result = result.replace(after.group(0), before.group(0), 1)
        else:
            result = result.replace(after.group(0) + b",", b"", 1)
    open(fixed, "wb").write(result)
    open(moved, "wb").write(shifted(data, base_us) if base_us else data)
    _, bad = check_fixed.check(moved, fixed, 5.0)
    count.check(not bad, f"{name}: {bad[:3]}")
    count.check(common.run("-q", "--rebase=always", fixed, original)[0] == 0 and
                open(original, "rb").read() == result, f"{name}: rebasing again changes something")


def main():
    check_fixed = common.checker()
    count = common.Count()
    paths = [p for p in sorted(glob.glob(os.path.join(common.need("cases"), "*.json*")))
             if os.path.basename(p).split("-")[0] not in REFUSED]
    limit = sys.maxsize if os.environ.get("LF_FULL") else 500000
    paths += [p for p in sorted(glob.glob(os.path.join(common.need("traces"), "*.json.gz")))
              if os.path.getsize(p) < limit or "epoch" in p]
    with tempfile.TemporaryDirectory() as folder:
        for path in paths:
            one(count, check_fixed, path, folder)
    count.end()


if __name__ == "__main__":
    main()
