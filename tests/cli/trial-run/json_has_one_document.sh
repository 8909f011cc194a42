. "$DATA/../cli/trial-run/common"
trackway trial run task --agent "echo 4 >answer" --model m --isolation none --json -q -o job | plain
