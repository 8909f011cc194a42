. "$DATA/../cli/trial-classify/common"
trials
export TRACKWAY_KEYS="$PWD/keys"
trackway ledger init --origin example.org/log --ledger led >/dev/null 2>&1
trackway ledger add trials/t1.json trials/t2.json trials/t3.json --ledger led >/dev/null 2>&1
trackway trial classify led --reference led --write-reference good.json
trackway trial classify led --reference good.json --json=aggregate
