#!/usr/bin/env python3
"""Every form in (plain, gzip, zstd) x every form out x file and pipe in, file and pipe out x 1, 2 and 8
threads gives the same decompressed bytes. Two small traces, or with LF_FULL=1 every one of ../shared/traces.
"""
import glob
import gzip
import os
import shutil
import subprocess
import tempfile

import common

EXTENSION = {"plain": "", "gzip": ".gz", "zstd": ".zst"}
THREADS = ("1", "2", "8")


def unpacked(data):
    """The bytes that data says, by its magic; None where it is broken."""
    if data[:2] == b"\x1f\x8b":
        return gzip.decompress(data)
    if data[:4] == b"\x28\xb5\x2f\xfd":
        p = subprocess.run(["zstd", "-dcq"], input=data, stdout=subprocess.PIPE)
        return p.stdout if p.returncode == 0 else None
    return data


def form_of(data):
    return "gzip" if data[:2] == b"\x1f\x8b" else "zstd" if data[:4] == b"\x28\xb5\x2f\xfd" else "plain"


def run(source, piped_in, target, form_out, threads):
    """Runs and gives what came out: from a file, or from a pipe where target is None."""
    args = [common.LANEFIX, "-q", "-t", threads, "-z", "none" if form_out == "plain" else form_out]
    stdin = subprocess.DEVNULL
    if piped_in:
        feeder = subprocess.Popen(["cat", source], stdout=subprocess.PIPE)
        stdin = feeder.stdout
    p = subprocess.run(args + ["-" if piped_in else source, target or "-"], stdin=stdin,
                       stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if piped_in:
        feeder.stdout.close()
        feeder.wait()
    if p.returncode != 0:
        return None
    return open(target, "rb").read() if target else p.stdout


def one(count, path, folder):
    name = os.path.basename(path)[:-len(".json.gz")]
    sources = {form: os.path.join(folder, "in.json" + EXTENSION[form]) for form in EXTENSION}
    common.plain_copy(path, sources["plain"])
    with open(sources["gzip"], "wb") as f:
        f.write(gzip.compress(open(sources["plain"], "rb").read(), 6))
    subprocess.run(["zstd", "-qf", sources["plain"], "-o", sources["zstd"]], check=True)
    want = run(sources["plain"], False, os.path.join(folder, "want.json"), "plain", "1")
    if not count.check(want is not None, f"{name}: no result"):
        return
    for form_in, source in sources.items():
        for form_out in EXTENSION:
            for piped_in in (False, True):
                for piped_out in (False, True):
                    for threads in THREADS:
                        target = None if piped_out else os.path.join(folder, "out.json")
                        got = run(source, piped_in, target, form_out, threads)
                        what = (f"{name}: {form_in} {'pipe' if piped_in else 'file'} to {form_out} "
                                f"{'pipe' if piped_out else 'file'}, {threads} threads")
                        count.check(got is not None and form_of(got) == form_out and unpacked(got) == want, what)


def main():
    count = common.Count()
    paths = sorted(glob.glob(os.path.join(common.need("traces"), "*.json.gz")), key=os.path.getsize)
    if shutil.which("zstd") is None:
        print("skipped: zstd is not here")
        count.end()
    if not os.environ.get("LF_FULL"):
        paths = [p for p in paths if os.path.basename(p).split(".")[0] in ("alexnet-sync", "mi250-toy")]
    with tempfile.TemporaryDirectory() as folder:
        for path in paths:
            one(count, path, folder)
    count.end()


if __name__ == "__main__":
    main()
