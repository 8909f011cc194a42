. "$DATA/../cli/trial-run/common"
trackway trial run task --agent "echo 4 >answer" --isolation none -q -o job >/dev/null
id=$(basename job/0*)
echo "echo 2 >&3" >task/tests/test.sh
trackway trial regrade "$id" task --experiment again --json | plain
trackway trial regrade "$id" task --json=reward,verifier_completed,error
