#!/bin/sh
# Fixes the sample with the given program and says what to do with the result.
set -e
program=$1
data=$(dirname "$0")
echo "lanefix $data/sample.json $data/sample.fixed.json"
"$program" "$data/sample.json" "$data/sample.fixed.json"
cat <<TXT

The fixed trace is $data/sample.fixed.json.
To see it: open https://ui.perfetto.dev in a browser, "Open trace file", choose it (nothing leaves your
computer). Open $data/sample.json beside it: the ProfilerStep rows and the kernels that Perfetto
refuses there are in the fixed one. To fix a trace of your own:

    $program YOUR-TRACE.json
TXT
