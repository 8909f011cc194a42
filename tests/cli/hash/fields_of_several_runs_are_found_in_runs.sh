for n in 1 2; do
	id=0197c3a4-5b6c-7d8e-9f01-23456789abc$n
	echo '{"type":"run_start","ts":"2025-07-01T12:00:00.000Z","run_id":"'$id'","seq":0}'
	echo '{"type":"run_end","ts":"2025-07-01T12:00:01.000Z","run_id":"'$id'","seq":1}'
done > two.jsonl
trackway hash --json=path,run_id,complete two.jsonl
