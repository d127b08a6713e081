#!/usr/bin/env python3
"""Every event of every trace of ../shared/traces says the same with the shape cache and without, and
read ahead and not."""
import glob
import os
import re
import subprocess
import sys

import common

paths = sorted(glob.glob(os.path.join(common.need("traces"), "*.json.gz")))
build = os.environ.get("BUILD", os.path.dirname(common.LANEFIX))
programs = [[os.path.join(build, "tests", "prop", name), *paths] for name in ("shapes", "ahead")]
passed = failed = 0
for p in [subprocess.run(program, stdout=subprocess.PIPE, text=True) for program in programs]:
    print(p.stdout, end="")
    count = re.fullmatch(r"(\d+) passed, (\d+) failed", p.stdout.splitlines()[-1])
    passed += int(count[1])
    failed += int(count[2])
print(f"{passed} passed, {failed} failed")
sys.exit(failed != 0)
