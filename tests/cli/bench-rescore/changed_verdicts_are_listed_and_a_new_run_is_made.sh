cp -r "$DATA/bench/looking" runs
sed -i 's/"42"/"It is 42."/; s/"value": 3/"value": 9/' runs/suite.json
cp -r runs/monday before
trackway bench rescore monday --suite runs/suite.json
diff -r before runs/monday
ls runs/monday-rescored
grep rescored_from runs/monday-rescored/config.json
trackway validate runs/monday-rescored | sed 's/ (.*//'
