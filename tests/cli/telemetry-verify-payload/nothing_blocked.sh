echo "{\"a\":[1,\"x\",null]}" >p.json
trackway telemetry verify-payload p.json
