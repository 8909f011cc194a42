. "$DATA/../cli/record/common"
start_mock
ask='"$0/ask" "$OPENAI_BASE_URL/chat/completions" "{\"model\":\"small\",\"messages\":[{\"role\":\"user\",\"content\":\"hi\"}]}"'
record -q --framework crewai --rig h100 --engine vllm -o run --upstream "openai=$url/v1" -- sh -c "$ask" "$cases" >out
nodes run/agent-trace.jsonl
grep -oE '"(rig_label|engine|framework_version)":[^,]*' run/summary.json
for option in '--framework foo' '--rig a100' '--engine tgi'; do
	# shellcheck disable=SC2086 # two words
	record $option -- touch started
	echo $?
done
ls
