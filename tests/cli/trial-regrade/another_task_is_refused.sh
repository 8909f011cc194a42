. "$DATA/../cli/trial-run/common"
trackway trial run task --agent "echo 4 >answer" --isolation none -q -o job >/dev/null
id=$(basename job/0*)
echo more >>task/instruction.md
trackway trial regrade "$id" task 2>&1 | plain
trackway trial regrade "$id" task 2>/dev/null
