trackway hash -q "$DATA/otutl/W_ARGS_STRING.jsonl"
