. "$DATA/../cli/trial-run/common"
trackway trial run task --agent "echo 4 >answer" --isolation none -q -o job >/dev/null
trackway trial run task --agent "echo 4 >answer" --isolation none -q -o job 2>&1 | joined
trackway trial run task --agent "echo 4 >answer" --isolation none -q -o job 2>/dev/null
