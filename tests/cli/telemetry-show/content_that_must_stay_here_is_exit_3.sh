cat >trajectory.jsonl <<EOF
{"local_only":true,"version":1,"format":"aec-bench-trajectory"}
{"step":1,"role":"assistant","content":"x"}
EOF
trackway telemetry show "$DATA/show/full.jsonl" trajectory.jsonl
