. "$(dirname "$0")/common"
good --run-id r -q >/dev/null
head -n 1 runs/r/results.jsonl >kept
printf '{"record_type":"res' >>kept
cp kept runs/r/results.jsonl
trackway bench run --resume r --mock-script "$script" -q >/dev/null
echo "exit $?"
grep -c . runs/r/results.jsonl
grep -o '"event":"torn_line_removed"' runs/r/events.jsonl
trackway validate -q runs/r
trackway bench run --resume r "$suite"
