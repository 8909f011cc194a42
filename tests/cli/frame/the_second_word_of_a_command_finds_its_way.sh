trackway verify run.jsonl
trackway ledger-verify
trackway tiers monday
trackway verfy
trackway bench-run suite.json
trackway rescore --suite x
trackway nothing-like-it
