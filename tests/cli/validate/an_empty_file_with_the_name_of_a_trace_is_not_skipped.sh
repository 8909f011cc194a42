mkdir dir
: >dir/agent-trace.jsonl
trackway validate --json=path,format,verdict,codes dir
