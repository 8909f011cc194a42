mkdir r
cat >suite.json <<'EOT'
[{"id":"P1","name":"p","prompt":"say it","validator":{"type":"json_keys","required_keys":["a"]}}]
EOT
cat >mock.json <<'EOT'
{"schema":"trackway.mock/1","rules":[{"match":{},"reply":{"text":"ghp_0123456789abcdefghijABCDEFGHIJ012345 is my key"}}]}
EOT
trackway bench run suite.json --target mock:m --mock-script mock.json --out r --run-id k -q >said
trackway bench show r/k >shown
cat r/k/summary.md r/k/report.html said shown | grep -c 0123456789abcdefghij
grep -c 'json_parse_error' shown
