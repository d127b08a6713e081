#!/usr/bin/env python3
"""--undo gives back every real trace and every small input byte for byte, whatever the form and the options;
what was not changed is refused. All traces with all options only with LF_FULL=1.
"""
import glob
import os
import subprocess
import tempfile

import common
from cases import REFUSED, unpacked

OPTIONS = ((), ("--rebase=always",), ("--no-unfold", "-s", "0", "--max-lanes", "0"))


def one(count, path, folder, options, form):
    name = os.path.basename(path)
    original, fixed, undone = (os.path.join(folder, x) for x in ("a.json", "b.json" + form, "c.json"))
    data = unpacked(path)
    open(original, "wb").write(data)
    what = f"{name} {' '.join(options)} {form}"
    status, _, err = common.run("-q", *options, original, fixed)
    if not count.check(status == 0, f"{what}: status {status}: {err}"):
        return
    if form == "" and open(fixed, "rb").read() == data:
        status, _, err = common.run("--undo", fixed, undone)
        count.check(status == 3 and "nothing to undo" in err, f"{what}: unchanged, and undone: {err}")
        return
    status, _, err = common.run("-q", "--undo", fixed, undone)
    if status == 3 and "nothing to undo" in err:
        with open(fixed, "rb") as f:
            unpack = ["gzip", "-dc"] if form == ".gz" else ["zstd", "-dcq"]
            count.check(subprocess.run(unpack, stdin=f, stdout=subprocess.PIPE).stdout == data, f"{what}: {err}")
        return
    count.check(status == 0 and open(undone, "rb").read() == data, f"{what}: not what it was: {err}")


def main():
    count = common.Count()
    full = os.environ.get("LF_FULL")
    paths = [p for p in sorted(glob.glob(os.path.join(common.need("cases"), "*.json*")))
             if os.path.basename(p).split("-")[0] not in REFUSED]
    with tempfile.TemporaryDirectory() as folder:
        for path in paths:
            for options in OPTIONS:
                for form in ("", ".gz", ".zst"):
                    one(count, path, folder, options, form)
        for path in sorted(glob.glob(os.path.join(common.need("traces"), "*.json.gz"))):
            for i, options in enumerate(OPTIONS):
                for k, form in enumerate(("", ".gz", ".zst")):
                    if full or (i == k and os.path.getsize(path) < 1500000) or i + k == 0:
                        one(count, path, folder, options, form)
    count.end()


if __name__ == "__main__":
    main()
