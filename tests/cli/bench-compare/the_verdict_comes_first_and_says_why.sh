# side FILE MS1 MS2: nine prompts with the first latency, eleven with the second
side()
{
	i=0
	while [ $i -lt 20 ]; do
		ms=$2
		[ $i -lt 9 ] || ms=$3
		printf '{"record_type":"result","run_id":"%s","provider":"mock","model":"m","prompt_id":"P%d",' "$1" $i
		printf '"prompt_name":"n","availability_status":"ok","started_at_ms":1,"ended_at_ms":2,"e2e_ms":%d,' "$ms"
		printf '"success":true,"objective_pass":true,"raw_output":"x","repetition":1}\n'
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
