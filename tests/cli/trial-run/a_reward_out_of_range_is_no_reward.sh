. "$DATA/../cli/trial-run/common"
echo "echo 1.5 >logs/verifier/reward.txt" >task/tests/test.sh
trackway trial run task --agent true --isolation none -q | plain
