. "$DATA/../cli/record/common"
start_mock --script "$DATA/../../doc/examples/mock.json"
record --quiet --upstream "openai=$url/v1" -- "$cases/agent"
