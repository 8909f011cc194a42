run() {
	printf '{"type":"%s","ts":"2026-05-01T12:00:0%s.000Z","run_id":"019de368-f600-7000-8000-00000000000a","seq":%s%s}\n' \
		"$1" "$2" "$2" "$3"
}
{
	run run_start 0 ''
	run tool_call 1 ',"call_id":"c1","tool":"mcp://files/read","args":{}'
	run tool_result 2 ',"call_id":"c1","result":"buy milk","chunks":[{"data":"buy ","t_ms":1},{"data":"milk","t_ms":2}]'
	run run_end 3 ',"status":"success"'
} >run.jsonl
trackway convert run.jsonl --to otutl --chunks | grep -c '"chunks"'
