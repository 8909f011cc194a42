mkdir d && echo "{}" >d/p.json
trackway telemetry verify-payload d
