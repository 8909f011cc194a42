trackway hash "$DATA/otutl/E_NUM_UNSAFE_INT.jsonl"
