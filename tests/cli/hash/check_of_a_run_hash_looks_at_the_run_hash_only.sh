sed 's/019de368-f600-7000-8000-00000000000a/019de368-f600-7000-8000-00000000000c/' "$DATA/otutl/valid.jsonl" >replay.jsonl
trackway hash "$DATA/otutl/valid.jsonl" | sed 's/ .*/  replay.jsonl/' >SUMS
grep ^bh SUMS | trackway hash --check -
grep ^otutl SUMS | trackway hash --check -
