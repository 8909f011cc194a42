cp "$DATA/../../doc/examples/agent-trace.jsonl" trace.jsonl
mkdir dir
cp trace.jsonl dir/trace.jsonl
ln trace.jsonl hard.jsonl
for words in 'trace.jsonl -o trace.jsonl' './trace.jsonl --json -o hard.jsonl' '- -o trace.jsonl' 'dir -o dir/trace.jsonl'; do
	# shellcheck disable=SC2086 # words, on purpose
	trackway validate $words <trace.jsonl
	echo $?
done
cmp trace.jsonl "$DATA/../../doc/examples/agent-trace.jsonl"
cmp dir/trace.jsonl "$DATA/../../doc/examples/agent-trace.jsonl"
echo '{}' >dir/report.json # one of another kind may be replaced: it is an older report
trackway validate -q dir --json -o dir/report.json
