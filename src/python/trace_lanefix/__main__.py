"""python -m trace_lanefix: as the trace-lanefix command."""
import sys

from ._cli import main

sys.exit(main())
