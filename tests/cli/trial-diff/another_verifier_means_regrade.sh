. "$DATA/../cli/trial-diff/common"
echo "#" >>task/tests/test.sh
lock b.json
trackway trial diff a.json b.json --json
