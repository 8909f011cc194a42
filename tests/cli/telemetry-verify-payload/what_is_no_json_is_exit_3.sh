echo "{\"a\":" >p.json
trackway telemetry verify-payload p.json; echo "exit $?"
printf "{}\n{}\n" | trackway telemetry verify-payload -; echo "exit $?"
: | trackway telemetry verify-payload -; echo "exit $?"
trackway telemetry verify-payload nowhere.json
