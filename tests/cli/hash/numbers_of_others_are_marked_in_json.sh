trackway hash --numbers=es --json=numbers,run_hash "$DATA/otutl/E_NUM_UNSAFE_INT.jsonl"
