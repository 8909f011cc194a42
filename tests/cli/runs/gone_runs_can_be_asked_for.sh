mkdir -p store
export TRACKWAY_HOME=$PWD/store
printf '%s\n' '{"run_id":"0190a0c0-0000-7000-8000-00000c0ffee2","dir":"/nowhere/at/all","started":"2026-01-02T03:04:05.000Z","kind":"record","program":"p","tags":{}}' >store/runs.jsonl
trackway runs --json=name,verdict
trackway runs --verdict gone --json=name,verdict
