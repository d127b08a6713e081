#!/bin/sh
# The README's array job on a real scheduler: munge, slurmctld and slurmd on this machine, 40 traces, one task
# killed half-way and requeued. Every output must be whole and right, and nothing done twice.
#
# Installs Debian's slurm-wlm and munge where they are missing (as root); skips, saying so, where it can't. All
# state is in a folder of its own; nothing of an installed Slurm is touched.
set -u
top=$(cd "$(dirname "$0")/../.." && pwd)
LANEFIX=${LANEFIX:-$top/build/release/lanefix}
skip() { echo "skipped: $1"; echo "0 passed, 0 failed"; exit 0; }
[ "$(id -u)" -eq 0 ] || skip "starting a scheduler takes root"
if ! command -v slurmctld >/dev/null || ! command -v munged >/dev/null; then
    { apt-get update && DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends slurm-wlm munge; } \
        >/dev/null 2>&1 || skip "slurm-wlm and munge can't be installed here"
fi
[ -x "$LANEFIX" ] || { echo "not built: $LANEFIX"; echo "0 passed, 1 failed"; exit 1; }

passed=0
failed=0
ok() { passed=$((passed + 1)); }
bad() { failed=$((failed + 1)); echo "failed: $1"; }
check() { what=$1; shift; if "$@"; then ok; else bad "$what"; fi; }
same() { if [ "$2" = "$3" ]; then ok; else bad "$1: \"$2\", expected \"$3\""; fi; }

work=$(mktemp -d) || exit 2
chmod 755 "$work"
host=$(hostname -s)
stop_all() {
    for pid in slurmd slurmctld munged; do
        [ -s "$work/$pid.pid" ] && kill "$(cat "$work/$pid.pid")" 2>/dev/null
    done
    sleep 1
    rm -rf "$work"
}
trap stop_all EXIT
export SLURM_CONF="$work/slurm.conf"

# munge: a key, socket and log of its own
mkdir -p "$work/munge" "$work/state" "$work/spool"
dd if=/dev/urandom of="$work/munge/key" bs=1 count=1024 2>/dev/null
chmod 700 "$work/munge"; chmod 600 "$work/munge/key"
munged --force --key-file="$work/munge/key" --socket="$work/munge.socket" --pid-file="$work/munged.pid" \
    --log-file="$work/munge/log" --seed-file="$work/munge/seed" || skip "munged doesn't start here"

cat >"$work/slurm.conf" <<CONF
ClusterName=test
SlurmctldHost=$host(127.0.0.1)
AuthType=auth/munge
AuthInfo=socket=$work/munge.socket
CredType=cred/munge
SlurmUser=root
SlurmdUser=root
StateSaveLocation=$work/state
SlurmdSpoolDir=$work/spool
SlurmctldPidFile=$work/slurmctld.pid
SlurmdPidFile=$work/slurmd.pid
SlurmctldLogFile=$work/slurmctld.log
SlurmdLogFile=$work/slurmd.log
SlurmctldPort=27817
SlurmdPort=27818
ProctrackType=proctrack/pgid
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SchedulerType=sched/backfill
SchedulerParameters=requeue_setup_env_fail
MailProg=/bin/true
SlurmdParameters=config_overrides
JobRequeue=1
ReturnToService=2
KillWait=2
MinJobAge=300
NodeName=$host NodeAddr=127.0.0.1 CPUs=4 State=UNKNOWN
PartitionName=all Nodes=$host Default=YES MaxTime=INFINITE State=UP OverSubscribe=FORCE:1
CONF
export SLURMD_OPTIONS=
slurmctld -c -f "$SLURM_CONF" || skip "slurmctld doesn't start here"
slurmd -c -f "$SLURM_CONF" -N "$host" || { tail -n 5 "$work/slurmd.log"; skip "slurmd doesn't start here"; }
for _ in $(seq 60); do
    sinfo -h -o %T 2>/dev/null | grep -q idle && break
    sleep 0.5
done
sinfo -h -o %T 2>/dev/null | grep -q idle || { tail -n 5 "$work/slurmctld.log" "$work/slurmd.log"; skip "the node doesn't come up here"; }

# 40 traces of several sizes, each with its own crossings
mkdir -p "$work/traces/node0" "$work/traces/node1" "$work/want"
i=0
while [ $i -lt 40 ]; do
    awk -v rank=$i 'BEGIN { print "{\"traceEvents\":["; n = 3000 + (rank % 7) * 30000
        for (k = 0; k < n; k++) printf "{\"ph\":\"X\",\"name\":\"k%d\",\"pid\":%d,\"tid\":7,\"ts\":%d,\"dur\":%d},\n", k % 9, rank, k * 10, (k % 97 == 0) ? 13 : (k % 501 == 0) ? 37 : 8
        print "{}]}" }' >"$work/traces/node$((i % 2))/rank$i.json"
    i=$((i + 1))
done
for f in "$work"/traces/node*/*.json; do "$LANEFIX" -q "$f" "$work/want/$(basename "$f")"; done

# the job, as the README says; a first task is killed half-way: it waits before its work's end
cat >"$work/slow" <<SLOW
#!/bin/sh
# lanefix; the first try of task 1 is held when some of its files are done, and killed by the test
if [ "\$SLURM_ARRAY_TASK_ID" = 1 ] && [ ! -e "$work/killed" ]; then
    "$LANEFIX" "\$@" -j 1 &
    pid=\$!
    while [ "\$(find "$work/fixed/.lanefix" -name '*.done' 2>/dev/null | wc -l)" -lt 3 ]; do :; done
    kill -STOP \$pid
    touch "$work/held"
    sleep 600
fi
exec "$LANEFIX" "\$@"
SLOW
chmod +x "$work/slow"
cd "$work" || exit 2
job=$(LANEFIX="$work/slow" sbatch --parsable --array=0-3 --cpus-per-task=1 "$top/data/jobs/lanefix.sbatch" \
    "$work/traces" "$work/fixed")
check "submitted" test -n "$job"
for _ in $(seq 240); do [ -e held ] && break; sleep 0.25; done
check "a task was caught half-way" test -e held
outputs_done() { find fixed -name '*.done' | sed 's|/.lanefix/|/|; s|\.done$||' | sort; }
sleep 1 # the file that was under way may end
outputs_done >before
n_before=$(wc -l <before | tr -d ' ')
xargs stat -c '%n %i %y' <before >before.stat
touch killed
scontrol requeue "${job}_1" 2>&1
for _ in $(seq 480); do
    [ -z "$(squeue -h -j "$job" 2>/dev/null)" ] && break
    # a requeued job is made to wait for minutes
    [ -z "$(squeue -h -t PD -j "$job" 2>/dev/null)" ] || scontrol update jobid="${job}_1" starttime=now 2>/dev/null
    sleep 0.25
done
same "nothing is left in the queue" "$(squeue -h -j "$job" 2>/dev/null | wc -l | tr -d ' ')" 0
echo "array job $job: 4 tasks, 40 traces; task 1 killed when $n_before files were done, requeued"

same "all outputs" "$(find fixed -name 'rank*.json' | wc -l | tr -d ' ')" 40
n_good=0
for f in traces/node*/*.json; do
    cmp -s "want/$(basename "$f")" "fixed/${f#traces/}" && n_good=$((n_good + 1))
done
same "whole and right" "$n_good" 40
same "no leftovers" "$(find fixed -name '*.lanefix-*' | wc -l | tr -d ' ')" 0
xargs stat -c '%n %i %y' <before >after.stat
check "what was done when the task was killed is not touched again" cmp -s before.stat after.stat
# the log has a line for each file that was written; a requeued task begins its log behind the old one
same "nothing done twice" "$(cat lanefix-*.log | grep -- ' -> ' | grep -v 'done already' | sed 's/: .*//' | sort | uniq -d | wc -l | tr -d ' ')" 0
same "each of the files is some task's" "$(cat lanefix-*.log | grep -- ' -> ' | sed 's/: .*//' | sort -u | wc -l | tr -d ' ')" 40
check "the requeued task passed by what was done" grep -q 'done already' lanefix-*_1.log
for t in 0 1 2 3; do
    [ -s "lanefix-${job}_$t.log" ] && tail -n 1 "lanefix-${job}_$t.log" | sed "s/^/task $t: /"
done
[ "$failed" -eq 0 ] || tail -n 20 lanefix-*.log slurmctld.log slurmd.log
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
