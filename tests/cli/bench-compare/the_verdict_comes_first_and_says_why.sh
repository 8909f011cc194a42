# side FILE MS1 MS2: nine prompts with the first latency, eleven with the second
side()
{
	i=0
	while [ $i -lt 20 ]; do
		ms=$2
		[ $i -lt 9 ] || ms=$3
		echo "{\"record_type\":\"result\",\"run_id\":\"$1\",\"provider\":\"mock\",\"model\":\"m\",\"thinking_level\":null,\"prompt_id\":\"P$i\",\"prompt_name\":\"n\",\"availability_status\":\"ok\",\"started_at_ms\":1,\"ended_at_ms\":2,\"e2e_ms\":$ms,\"ttft_ms\":null,\"success\":true,\"failure_type\":null,\"objective_pass\":true,\"violation\":null,\"input_tokens\":null,\"output_tokens\":null,\"raw_output\":\"x\",\"parsed_output\":null,\"tool_calls\":[],\"tool_call_count\":0,\"tool_use_success\":false,\"attempts\":1,\"repetition\":1}"
		i=$((i + 1))
	done >"$1"
}
side a.jsonl 3000 1999
side b.jsonl 2000 2000
side c.jsonl 4000 4000
trackway bench compare -q a.jsonl b.jsonl --metric latency | head -n 4
echo
trackway bench compare -q b.jsonl c.jsonl --metric latency | head -n 2
echo
sed -i '$d' b.jsonl
trackway bench compare b.jsonl c.jsonl --metric latency 2>&1 >/dev/null | grep partner
trackway bench compare b.jsonl c.jsonl --metric latency --json=pairs | grep -A2 '"answer"'
