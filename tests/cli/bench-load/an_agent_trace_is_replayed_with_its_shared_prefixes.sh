. "$DATA/../cli/record/common"
. "$DATA/../cli/record/blocks"
start_mock
record -q -o once --hash-blocks --upstream "openai=$url/v1" -- "$cases/talker"
# the load test is recorded, too: what it sends is shared as it was (and begins with the system prompt of bench)
cat >replay <<'END'
OPENAI_API_KEY=k trackway bench load -q --target openai:small --base "openai=$OPENAI_BASE_URL" \
	--schedule once/agent-trace.jsonl --run-id load --speed 0.2 >/dev/null
END
record -q -o again --hash-blocks=16 --upstream "openai=$url/v1" -- sh replay
for run in once again; do
	shape $run/agent-trace.jsonl | awk -v run=$run '{
		print run ": " ($3 < 0.1 * $1 ? "nothing" : $3 > 0.65 * $1 && $3 < 0.8 * $1 ? "three quarters" : $0) " shared" }'
	sed -n 's/.*"input_tokens":\([0-9]*\).*/\1/p' $run/agent-trace.jsonl >$run.tokens
done
paste once.tokens again.tokens | awk '{ print "tokens as recorded: " ($2 > 0.7 * $1 && $2 < 1.4 * $1 ? "yes" : "no " $0) }'
trackway export --format mooncake -q once |
	sed 's/"timestamp":[0-9]*/"timestamp":T/; s/"output_length":[0-9]*/"output_length":N/; s/[0-9]\{8,\}/ID/g'
