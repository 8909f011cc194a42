trackway canon "$DATA/otutl/valid.jsonl" >canonical.jsonl
sha256sum canonical.jsonl >SUMS
trackway hash --check SUMS
