#!/bin/sh
# Batches: names, shards, resuming, one bad file, reports, memory, interruption.
. "$(dirname "$0")/lib.sh"
mkdir -p in/a in/b
for i in 1 2 3 4 5; do trace | sed "s/aten::mm/aten::mm$i/" >in/a/r$i.json; done
trace | gzip -c >in/b/g.json.gz
clean >in/b/clean.json
echo text >in/b/notes.txt
mkdir in/.hidden; trace >in/.hidden/x.json
for f in in/a/r1.json in/b/clean.json; do run -q $f want.$(basename $f); done

run -O out -r in
same "a folder: status" "$status" 0
same "a folder: files" "$(cd out && find . -name '*.json*' ! -path './.lanefix*' | sort | tr '\n' ' ')" \
    "./a/r1.json ./a/r2.json ./a/r3.json ./a/r4.json ./a/r5.json ./b/clean.json ./b/g.json.gz "
check "the same as alone" cmp -s want.r1.json out/a/r1.json
check "clean: the same bytes" cmp -s in/b/clean.json out/b/clean.json
says "summary" "7 file(s): 6 fixed, 1 clean, 0 failed"
says "a line a file" "in/a/r1.json: 1 moved, 1 snapped -> out/a/r1.json"
check "nothing is written to stdout" test -z "$out"

# resuming
touch -d '2001-01-01' stamp
for f in out/a/r2.json out/a/r3.json; do rm $f; done
run -O out -r in --resume
says "only what is missing" "7 file(s): 2 fixed, 0 clean, 0 failed, 5 done before"
run -O out -r in --resume -s 0; says "other options: all again" "6 fixed, 1 clean, 0 failed;"
run -O out -r in --resume -s 0; says "the same options: nothing" "7 done before"
trace | sed 's/aten::mm/changed/' >in/a/r1.json
run -O out -r in --resume -s 0; says "a changed input" "1 fixed, 0 clean, 0 failed, 6 done before"
check "a changed input: done" grep -q changed out/a/r1.json
echo x >>out/a/r4.json
run -O out -r in --resume -s 0; says "a changed output" "1 fixed, 0 clean, 0 failed, 6 done before"
rm -rf out

# one bad file
echo '{"traceEvents":[{"ph":"X"' >in/a/bad.json
run -O out -r in --report report.jsonl
same "one bad: the worst status" "$status" 3
says "one bad: told" "failed: in/a/bad.json: byte 16"
says "one bad: the rest" "8 file(s): 6 fixed, 1 clean, 1 failed"
check "one bad: no output" test ! -e out/a/bad.json
same "a report line a file" "$(wc -l <report.jsonl | tr -d ' ')" 8
run -O out -r in missing.json; same "one missing" "$status" 4; says "one missing" "failed: missing.json: cannot be opened"
run -O fast -j 1 --fail-fast in/a/bad.json in/a/r1.json missing.json
says "--fail-fast" "not begun"
if command -v python3 >/dev/null; then
    cat >schema.py <<'PY'
import json, sys
members = {"schema": str, "version": str, "input": str, "output": (str, type(None)), "status": str,
           "error": (dict, type(None)), "counters": (dict, type(None)), "crossing_sizes": (list, type(None)),
           "tracks": (list, type(None)), "unfolded": (list, type(None)), "kernels": (list, type(None)),
           "top_crossings": (list, type(None))}
inner = {"tracks": ["pid", "tid", "lanes", "moved", "snapped", "negative"],
         "unfolded": ["pid", "tid", "new_pid", "new_tid"],
         "kernels": ["name", "runs", "moved", "snapped", "start_shift_ns", "end_shift_ns"],
         "top_crossings": ["crossing_ns", "change", "offset", "name", "pid", "tid", "new_tid", "start_shift_ns",
                           "end_shift_ns"]}
header = open(sys.argv[2]).read().split("struct lanefix_counters {")[1].split("};")[0]
import re
declared = re.sub(r"/\*.*?\*/", "", header, flags=re.S)
fields = [n.split("[")[0] for d in re.findall(r"(?:uint64_t|int64_t|int) ([^;]*);", declared)
          for n in re.split(r",\s*", d.strip())]
for line in open(sys.argv[1], encoding="utf-8"):
    d = json.loads(line)
    assert list(d) == list(members), list(d)
    assert all(isinstance(d[k], t) for k, t in members.items()), d
    assert d["schema"] == "lanefix-report-1"
    if d["error"]:
        assert list(d["error"]) == ["status", "errno", "offset", "packed_offset", "message"]
        continue
    assert set(d["counters"]) | {"crossing_sizes"} == set(fields), set(d["counters"]) ^ set(fields)
    assert len(d["crossing_sizes"]) == 7 and sum(d["crossing_sizes"]) <= d["counters"]["refused"]
    for k, names in inner.items():
        assert all(list(x) == names for x in d[k]), (k, d[k])
    sizes = [x["crossing_ns"] for x in d["top_crossings"]]
    assert sizes == sorted(sizes, reverse=True) and len(sizes) <= 20
PY
    check "the report's schema" python3 schema.py report.jsonl "$here/../../include/lanefix.h"
    printf '[{"ph":"X","name":"a\\q\\ud800\\u00e9\\"\377\001\302\240\\\\","pid":"p\200","tid":1,"ts":1,"dur":100},{"ph":"X","name":"b","pid":"p\200","tid":1,"ts":50,"dur":100}]' >in/odd.json
    run -q --report odd.jsonl --report-format json in/odd.json o.json
    check "odd names: valid JSON" python3 schema.py odd.jsonl "$here/../../include/lanefix.h"
    rm in/odd.json
    run --report-format json in/a/r1.json o.json
    cp .err err.json; check "json on stderr" python3 schema.py err.json "$here/../../include/lanefix.h"
    check "exact numbers" grep -q '"moved":1,"snapped":1' err.json
else
    echo "skipped: no python3 here"
fi

# names
rm in/a/bad.json
run -O out in/a/r1.json in/a/../a/r1.json; same "one output twice" "$status" 2; says "one output twice" "would have one output"
run -O out in; same "a folder without -r" "$status" 2
run -O out -; same "stdin" "$status" 2
run -O out --suffix .ok in/b/g.json.gz; check "--suffix" test -s out/g.ok.json.gz
printf 'in/a/r1.json\n\nin/a/r2.json\n' | { run -O l1 --files-from -; same "lines" "$(ls l1 | tr '\n' ' ')" "r1.json r2.json "; echo "passed=$passed failed=$failed" >.counts; }
. ./.counts
cp in/a/r1.json 'in/a/new
line.json'; printf 'in/a/new\nline.json\0in/a/r2.json\0' >list; run -O l2 --files-from list
check "NUL: a name with a newline" test -s 'l2/new
line.json'
same "NUL: both" "$(find l2 -name '*.json' -print0 | tr -cd '\000' | wc -c | tr -d ' ')" 2
rm 'in/a/new
line.json'
run --files-from nothing -O l3; same "no list" "$status" 2
mkdir deep; cp -r in deep/in; run -q -r deep; check "beside its input" test -s deep/in/a/r1.fixed.json
run -r deep; says "not the results themselves" "7 file(s)"
run -i -r deep/in; same "in place" "$status" 0; says "in place" "14 file(s)"
run -q -O in/results -r in; check "the output folder in the input" test -s in/results/a/r1.json
run -O in/results -r in; says "is passed by" "7 file(s)"; rm -rf in/results

# shards: every file once
for n in 2 3 7 20; do
    rm -rf sh; i=1
    while [ $i -le $n ]; do run -O sh -r in --shard $i/$n; grep -c ' -> ' .err >>counts; i=$((i + 1)); done
    same "$n shards: all files" "$(find sh -name '*.json*' ! -path '*/.lanefix/*' | wc -l | tr -d ' ')" 7
    same "$n shards: none twice" "$(awk '{s += $1} END {print s}' counts)" 7; rm counts
done
for s in 0/3 4/3 x 1/0 /3 1/ 1/3x -1/3; do run -O sh -r in --shard "$s"; same "--shard $s" "$status" 2; done
run -O sh -r in --shard auto; same "auto, and no scheduler" "$status" 2
SLURM_ARRAY_TASK_ID=9 SLURM_ARRAY_TASK_MIN=7 SLURM_ARRAY_TASK_STEP=2 SLURM_ARRAY_TASK_COUNT=2 "$LANEFIX" -O s1 -r in --shard auto 2>.err
"$LANEFIX" -O s2 -r in --shard 2/2 2>.err
same "auto: Slurm" "$(cd s1 && find . -name '*.json*' | sort)" "$(cd s2 && find . -name '*.json*' | sort)"
JOB_COMPLETION_INDEX=1 JOB_COMPLETIONS=2 "$LANEFIX" -O s3 -r in --shard auto 2>.err
same "auto: Kubernetes" "$(cd s3 && find . -name '*.json*' | sort)" "$(cd s2 && find . -name '*.json*' | sort)"

# checks
run --check -r in; same "check" "$status" 1; says "check: a table" "in/b/clean.json"; says "check" "7 checked"
run --check in/b/clean.json in/b/clean.json; same "check: clean" "$status" 0
run --check -r in -O x; same "check writes nothing" "$status" 2

# memory: a file that needs more than its share is done alone
awk 'BEGIN { print "["; for (i = 0; i < 700000; i++) printf "{\"ph\":\"X\",\"name\":\"n\",\"pid\":1,\"tid\":%d,\"ts\":%d,\"dur\":%d},\n", i % 50, (i * 7919) % 700000, 5; print "{}]" }' >in/large.json
run -O m -r in -j 4 --max-memory 44M; same "a share is too little, all is enough" "$status" 0
run -O m -r in -j 4 --max-memory 3M; same "all is too little" "$status" 4; says "all is too little" "expected at most 3 MB"

# interrupted: no leftovers, and resuming does the rest
cp in/large.json in/large2.json
"$LANEFIX" -q -O intr -r in -j 2 & pid=$!
sleep 0.15; kill -TERM $pid; wait $pid; same "TERM" $? 143
same "TERM: no leftovers" "$(find intr -name '*.lanefix-*' 2>/dev/null | wc -l | tr -d ' ')" 0
run -O intr -r in --resume; same "and resumed" "$status" 0
for f in in/large.json in/a/r1.json; do run -q $f one.json; check "and whole: $f" cmp -s one.json intr/${f#in/}; done
finish
