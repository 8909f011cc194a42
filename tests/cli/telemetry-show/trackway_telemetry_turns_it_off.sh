for value in 0 false off disabled OFF; do
	TRACKWAY_TELEMETRY=$value trackway telemetry show nowhere.jsonl; echo "exit $?"
done
TRACKWAY_TELEMETRY=1 trackway telemetry show "$DATA/show/full.jsonl" --json=engine
