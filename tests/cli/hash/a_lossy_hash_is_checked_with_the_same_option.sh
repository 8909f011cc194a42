cp "$DATA/otutl/E_NUM_UNSAFE_INT.jsonl" run.jsonl
trackway hash --numbers=es run.jsonl >SUMS
trackway hash --numbers=es --check SUMS
trackway hash --check SUMS 2>/dev/null
