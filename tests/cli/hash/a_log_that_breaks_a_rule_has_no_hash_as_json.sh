trackway hash --json "$DATA/otutl/E_SEQ_GAP.jsonl"
