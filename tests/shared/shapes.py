#!/usr/bin/env python3
"""Every event of every trace of ../shared/traces says the same with the shape cache and without."""
import glob
import os
import subprocess
import sys

import common

paths = sorted(glob.glob(os.path.join(common.need("traces"), "*.json.gz")))
build = os.environ.get("BUILD", os.path.dirname(common.LANEFIX))
p = subprocess.run([os.path.join(build, "tests", "prop", "shapes"), *paths])
sys.exit(p.returncode)
