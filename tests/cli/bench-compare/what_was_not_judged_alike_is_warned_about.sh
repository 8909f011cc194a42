cp -r "$DATA/bench/looking" runs
sed -i 's/"value":"42"/"value":"43"/; s/"detector": "default"/"detector": "reference"/
	s/"suite_digest": "./"suite_digest": "x/' runs/tuesday/config.json
trackway bench compare monday tuesday --metric cost | head -2
rm runs/monday/config.json
trackway bench compare monday tuesday --json=warnings
trackway bench compare -q monday tuesday --metric cost | head -1
