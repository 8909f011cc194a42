cat >p.json <<EOF
{"Prompt": "x", "a": {"OpenAI-API-Key": 1, "b": ["me@example.org", "/srv/me", "10.1.2.3", "fe80::1", "x://y"]},
 "hex": "0123456789abcdef0123456789abcdef0", "me@example.org": {"cwd": 1}, "n": 1}
EOF
trackway telemetry verify-payload p.json
