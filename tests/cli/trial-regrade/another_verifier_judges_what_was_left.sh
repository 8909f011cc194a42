. "$DATA/../cli/trial-run/common"
trackway trial run task --agent "echo 4 >answer" --isolation none -q -o job >/dev/null
id=$(basename job/0*)
sed -i "s/= 4/= 5/" task/tests/test.sh
trackway trial regrade "$id" task | plain
trackway ledger list -q --json | grep -o "\"experiment_id\":\"[a-z-]*\"\|\"reward\":[0-9.]*"
trackway ledger verify -q >/dev/null && echo whole
