. "$DATA/../cli/trial-run/common"
echo "echo 1 >/logs/verifier/reward.txt" >task/tests/test.sh
trackway trial run task --agent true --isolation none 2>&1 | joined
trackway trial run task --agent true --isolation none 2>/dev/null
