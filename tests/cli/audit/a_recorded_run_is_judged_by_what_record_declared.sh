. "$DATA/../cli/record/common"
cat >budget.json <<'END'
{ "tool_limits": { "get_time": 0 }, "max_calls": 2 }
END
echo '["https://example.org/a"]' >set.json

# run_agent DIR [OPTION]: records the agent, and shows what was declared and whether it was kept
run_agent()
{
	dir=$1
	shift
	start_mock --script "$DATA/../../doc/examples/mock.json" # a new one, since its answers are counted
	record -q "$@" -o "$dir" --budget budget.json --retrieval-set set.json --upstream "openai=$url/v1" -- "$cases/agent" \
		>/dev/null
	kill "$mock"
	wait "$mock"
	echo "== $dir"
	trackway audit "$dir" | stable
	trackway validate -q "$dir" && echo valid
	grep -e '"budget"' -e '"retrieval_set"' "$dir/meta.json"
}
run_agent plain
run_agent content --content
trap - EXIT
head -n 1 content/run.otutl.jsonl | grep -o '"budget".*"retrieval_set":\[[^]]*\]'
echo 'with the URI in the clear:'
grep -l example.org plain/* content/*
# a run is found by its name, too
trackway audit @last --json=verdict,first_offending_seq
