. "$(dirname "$0")/common"
good --run-id r -q >/dev/null
head -n 2 runs/r/results.jsonl >kept
{ cat kept; head -n 1 kept; echo rubbish; echo '{"record_type":"result"}'; } >runs/r/results.jsonl
trackway bench summary r --json=n_rows,n_lines_skipped,n_rows_repeated
trackway bench run --resume r 2>&1 >/dev/null | grep warning
grep -c . runs/r/results.jsonl
grep -o '"event":"lines_left_out".*' runs/r/events.jsonl
trackway bench summary r -q --json=n_rows
sed -n '/repeated\|could not be read/p' runs/r/summary.md
