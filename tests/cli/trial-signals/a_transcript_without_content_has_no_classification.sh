cat >trajectory.jsonl <<END
{"version": 1, "format": "aec-bench-trajectory"}
{"step": 1, "role": "assistant", "content": ""}
{"step": 1, "role": "tool_call", "tool_name": "bash"}
END
trackway trial signals trajectory.jsonl --json | grep -o '"turns":1\|"classification":.*'
trackway trial signals trajectory.jsonl | grep bonds
