printf "%s\n" "{\"role\":\"user\",\"content\":\"hi\"}" "{\"role\":\"assistant\",\"content\":\"me@example.org\"}" |
	trackway telemetry show - --json
