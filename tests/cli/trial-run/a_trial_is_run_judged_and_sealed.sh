. "$DATA/../cli/trial-run/common"
trackway trial run task --agent "echo 4 >answer" --isolation none 2>&1 | plain
trackway ledger list --json | grep -o "\"reward\":[0-9.]*\|\"completeness\":\"[a-z]*\""
trackway ledger verify -q >/dev/null && echo whole
