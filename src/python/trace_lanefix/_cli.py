"""trace-lanefix: fix_overlaps from the command line. 0 done, 1 failed, 2 usage."""
from __future__ import annotations

import argparse
import os
import signal
import sys
from typing import Sequence

from ._api import fix_overlaps, library_version
from ._options import threshold_ns


def _microseconds(text: str) -> float:
    try:
        us = float(text)
        threshold_ns(us)
    except ValueError:
        raise argparse.ArgumentTypeError(
            f"expected microseconds, 0 or more: {text}") from None
    return us


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="trace-lanefix",
        description="Rewrites a Chrome trace so that Perfetto shows every slice: tiny crossings are "
                    "snapped, others move to lanes.")
    parser.add_argument("input", nargs="?", default="trace.json",
                        help="plain, gzip or zstd (%(default)s)")
    parser.add_argument("output", nargs="?", default="trace.fixed.json",
                        help="a name in .gz or .zst is compressed (%(default)s)")
    parser.add_argument("--snap-threshold-us", type=_microseconds, default=5.0, metavar="US",
                        help="snap crossings where no boundary moves by US or more; 0: none "
                             "(%(default)s)")
    parser.add_argument("--version", action="version", version=f"%(prog)s {library_version()}")
    given = parser.parse_args(arguments)
    try:
        fix_overlaps(given.input, given.output, given.snap_threshold_us)
        sys.stdout.flush()
    except KeyboardInterrupt:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        os.kill(os.getpid(), signal.SIGINT)
    except BrokenPipeError:  # the reader of the report has left
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except (ValueError, OSError, MemoryError) as error:
        print(f"trace-lanefix: {error}", file=sys.stderr)
        return 1
    return 0
