#!/usr/bin/env python3
"""Every real trace of ../shared/traces, held against every promise by ../shared/tools/check_fixed.py;
fixing again changes nothing; --check agrees with the independent judge; one thread gives the same
result. -s 0 and -s 0.1 keep the promises too: of the large traces only with LF_FULL=1 (the checker takes
its time).
"""
import glob
import os
import tempfile
from concurrent.futures import ProcessPoolExecutor

import common

# nothing to fix in them: byte for byte the same
CLEAN = {"cpu-only", "cuda-event-sync", "df-index", "mi210-gpu-only", "mi250-toy", "torch-compile", "triton",
         "vllm-decode"}


def promises(check_fixed, original, fixed, threshold_us):
    figures, bad = check_fixed.check(original, fixed, threshold_us)
    return figures, "; ".join(f"{kind}: {text}" for kind, text in bad[:3])


def one(path):
    """The faults of one trace, and how many things were looked at."""
    check_fixed = common.checker()
    name = os.path.basename(path)[:-len(".json.gz")]
    faults, n = [], 0
    with tempfile.TemporaryDirectory() as folder:
        original, fixed, again, other = (os.path.join(folder, x) for x in ("a.json", "b.json", "c.json", "d.json"))
        common.plain_copy(path, original)
        before = open(original, "rb").read()

        def look(good, what):
            nonlocal n
            n += 1
            if not good:
                faults.append(f"{name}: {what}")

        status, out, err = common.run("-q", original, fixed)
        look(status == 0 and out == b"" and err == "", f"status {status}, {err}")
        if status != 0:
            return faults, n
        look(open(original, "rb").read() == before, "the input was touched")
        figures, text = promises(check_fixed, original, fixed, 5.0)
        look(text == "", text)
        result = open(fixed, "rb").read()
        look(name not in CLEAN or result == before, "nothing to fix, and yet it changed")
        status, _, err = common.run("-q", fixed, again)
        look(status == 0 and open(again, "rb").read() == result, "fixing again changes something")
        common.run("-q", "-t", "1", original, other)
        look(open(other, "rb").read() == result, "one thread gives another result")
        refused = sum(len(check_fixed.judge(check_fixed.load(original))[k])
                      for k in ("overlapping", "too_deep", "negative"))
        status, _, err = common.run("--check", original)
        look(status == (1 if refused else 0), f"--check: status {status}, refused {refused}")
        look(f"refuses {refused} of" in err, f"--check counts otherwise than {refused}: {err[-120:]}")
        full = os.environ.get("LF_FULL") or os.path.getsize(path) < 500000
        for threshold in ("0", "0.1") if full else ():
            status, _, err = common.run("-q", "-s", threshold, "--max-lanes", "0", original, other)
            look(status == 0, f"-s {threshold}: status {status}, {err}")
            _, text = promises(check_fixed, original, other, float(threshold))
            look(text == "", f"-s {threshold}: {text}")
    return faults, n


def main():
    paths = sorted(glob.glob(os.path.join(common.need("traces"), "*.json.gz")), key=os.path.getsize, reverse=True)
    count = common.Count()
    with ProcessPoolExecutor(2) as pool:
        for faults, n in pool.map(one, paths):
            count.passed += n - len(faults)
            count.failed += len(faults)
            for fault in faults:
                print(f"failed: {fault}")
    count.end()


if __name__ == "__main__":
    main()
