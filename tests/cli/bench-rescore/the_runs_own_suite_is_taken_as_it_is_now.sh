cp -r "$DATA/bench/looking" runs
cp runs/suite.json .
trackway bench rescore monday -n
sed -i 's/"42"/"It is 42."/' suite.json
trackway bench rescore monday -n
