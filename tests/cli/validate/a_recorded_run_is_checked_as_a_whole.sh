. "$DATA/../cli/record/common"
start_mock --script "$DATA/../../doc/examples/mock.json"
record -q -o up/run --upstream "openai=$url/v1" -- "$cases/agent" >answer
trackway validate up | sed 's/ (.* ms)$//'
sed -i 's/"output":57/"output":58/' up/run/summary.json
trackway validate up >said
echo "exit $?"
grep '^error\|-->' said
