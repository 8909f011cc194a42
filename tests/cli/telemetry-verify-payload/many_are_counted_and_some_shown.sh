awk "BEGIN { print \"[0\"; for (i = 0; i < 1200; i++) print \",{\\\"ip\\\":1}\"; print \"]\" }" |
	trackway telemetry verify-payload - | tail -n 2
