mkdir -p store
export TRACKWAY_HOME="$PWD/store"
printf '{"run_id":"%s","dir":"%s","started":"%s","kind":"record","program":"p","tags":{}}\n' \
	0190a0c0-0000-7000-8000-00000c0ffee2 /nowhere/at/all 2026-01-02T03:04:05.000Z >store/runs.jsonl
trackway runs --json=name,verdict
trackway runs --verdict gone --json=name,verdict
