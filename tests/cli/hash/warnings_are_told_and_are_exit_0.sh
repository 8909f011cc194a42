trackway hash "$DATA/otutl/W_ARGS_STRING.jsonl"
