. "$DATA/../cli/trial-run/common"
echo "exit 0" >task/tests/test.sh
trackway trial run task --agent true --isolation none -q | plain
