trackway hash "$DATA/otutl/E_TORN_TAIL.jsonl"
