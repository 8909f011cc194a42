trackway show "$DATA/show/empty.jsonl"
echo "exit $?"
trackway show /dev/null
