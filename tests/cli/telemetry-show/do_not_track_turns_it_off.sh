for value in 1 yes; do DO_NOT_TRACK=$value trackway telemetry show nowhere.jsonl; echo "exit $?"; done
DO_NOT_TRACK=1 trackway telemetry show nowhere.jsonl -q
for value in 0 false ""; do DO_NOT_TRACK=$value trackway telemetry show "$DATA/show/full.jsonl" --json=engine; done
