# --no-cost: whoever wants no costs does not want to hear that there are none
trackway show "$DATA/show/full.jsonl" --no-cost --json=unpriced_models
trackway show "$DATA/show/full.jsonl" --json=unpriced_models
