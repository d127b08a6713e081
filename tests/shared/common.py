"""What the tests over ../shared have in common: finding it, running the program, counting."""
import gzip
import os
import subprocess
import sys

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SHARED = os.path.join(TOP, "..", "shared")
LANEFIX = os.environ.get("LANEFIX", os.path.join(TOP, "build", "release", "lanefix"))


def need(*parts):
    """The path below ../shared, or the end of the test where it is missing."""
    path = os.path.join(SHARED, *parts)
    if not os.path.exists(path):
        print(f"skipped: {'/'.join(('../shared',) + parts)} is not here")
        print("0 passed, 0 failed")
        sys.exit(0)
    return path


def checker():
    sys.path.insert(0, need("tools"))
    import check_fixed
    return check_fixed


def run(*args):
    p = subprocess.run([LANEFIX, *args], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    return p.returncode, p.stdout, p.stderr.decode("utf-8", "replace")


def plain_copy(path, to):
    """Unpacks a .gz (by its magic) to to."""
    data = open(path, "rb").read()
    with open(to, "wb") as f:
        f.write(gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data)


class Count:
    def __init__(self):
        self.passed = self.failed = 0

    def check(self, good, what):
        self.passed += bool(good)
        self.failed += not good
        if not good:
            print(f"failed: {what}")
        return good

    def end(self):
        print(f"{self.passed} passed, {self.failed} failed")
        sys.exit(self.failed != 0)
