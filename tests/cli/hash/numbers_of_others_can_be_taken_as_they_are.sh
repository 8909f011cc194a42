trackway hash --numbers es "$DATA/otutl/E_NUM_UNSAFE_INT.jsonl"
