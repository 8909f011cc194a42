cp -r "$DATA/bench/looking" runs
trackway bench rescore thrice --suite runs/suite.json --detector reference --dry-run --limit 2
trackway bench rescore thrice --suite runs/suite.json --detector default --dry-run
