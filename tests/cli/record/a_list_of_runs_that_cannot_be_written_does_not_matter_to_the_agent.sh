. "$DATA/../cli/record/common"
start_mock --script "$DATA/../../doc/examples/mock.json"
echo "no directory" >file
export TRACKWAY_HOME="file"
record -o run --upstream "openai=$url/v1" -- "$cases/agent"
