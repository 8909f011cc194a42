cp -r "$DATA/bench/looking" runs
sed -i 's/"42"/"{{number}}"/; s/"id": "answer",/"id": "answer", "tags": ["words"],/' runs/suite.json
trackway bench rescore monday --suite runs/suite.json --var number=43 -n | head -2
trackway bench rescore monday --suite runs/suite.json --var number=43 --tag words -n | head -1
printf 'number\n43\n' >numbers.csv
trackway bench rescore monday --suite runs/suite.json --table numbers.csv -n | grep kept
