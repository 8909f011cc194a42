. "$DATA/../cli/trial-run/common"
trackway trial run task --agent "echo 4 >answer" --isolation none -q -o job >/dev/null
trackway trial run --resume job -q --json=sealed,already_sealed,done,slots
trackway trial run --resume job -q | plain
