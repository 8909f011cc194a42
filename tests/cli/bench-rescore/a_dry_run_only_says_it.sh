cp -r "$DATA/bench/looking" runs
sed -i 's/"42"/"43"/' runs/suite.json
trackway bench rescore monday --suite runs/suite.json -n
ls runs
