echo "{\"a\":[{\"user\":1},\"10.1.2.3\"]}" | trackway telemetry verify-payload - --json
echo "exit $?"
echo "{}" | trackway telemetry verify-payload --json
echo "{\"user\":1}" | trackway telemetry verify-payload --json=verdict,blocked
