. "$DATA/../cli/record/common"
start_mock --script "$DATA/../../doc/examples/mock.json"
record --dot -o run --upstream "openai=$url/v1" -- "$cases/agent"
# each node gets a letter, in the order of the file
awk -F'"' '/label/ { letter[$2] = sprintf("%c", 65 + n++) }
	{ line = $0; for (id in letter) gsub(id, letter[id], line); print line }' run/agent-trace.dot
