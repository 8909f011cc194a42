. "$DATA/../cli/trial-run/common"
trackway trial run task --agent "echo 5 >answer" --isolation none -q | plain
trackway ledger list -q >/dev/null
