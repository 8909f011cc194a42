. "$DATA/../cli/record/common"
. "$DATA/../cli/record/blocks"
XDG_RUNTIME_DIR=$PWD
TRACKWAY_KEYS=$PWD/keys
export XDG_RUNTIME_DIR TRACKWAY_KEYS
start_mock
# two: the same prompt, twice in each of two runs
two()
{
	: >addresses
	# shellcheck disable=SC2086
	trackway record -q --listen 127.0.0.1:0 -o "$1" --upstream "openai=$url/v1" --hash-blocks ${2-} >addresses &
	recorder=$!
	while ! grep -q CLOUD addresses; do
		sleep 0.02
	done
	. ./addresses
	for run in one one two two; do
		RUN=$run "$cases/ask" "$OPENAI_BASE_URL/chat/completions" \
			"{\"model\":\"m\",\"messages\":[{\"role\":\"user\",\"content\":\"$(long 20 some)\"}]}" >/dev/null
	done
	kill "$recorder"
	wait "$recorder"
	for trace in "$1"/*/agent-trace.jsonl; do
		shape "$trace"
		ids "$trace"
	done >all.ids
	grep blocks all.ids
	echo "numbers that both runs have: $(grep -v blocks all.ids | LC_ALL=C sort | uniq -d | wc -l)"
}
two drawn
two given "--block-key mine"
