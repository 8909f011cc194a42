. "$DATA/../cli/trial-run/common"
trackway trial run task --agent "echo 4 >answer; exit 3" --isolation none -q | plain
