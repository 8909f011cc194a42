cat >suite.json <<'END'
[{"id":"A","name":"a","prompt":"{{x}}","validator":{"type":"exact","value":"{{x}}"}}]
END
printf 'x\n1\n2\n' >table.csv
trackway bench run suite.json --table table.csv --target mock:echo --run-id r -q >/dev/null
trackway bench rescore r -n
printf 'x\n1\n3\n' >other.csv
trackway bench rescore r -n --table other.csv
rm table.csv
trackway bench rescore r -n
