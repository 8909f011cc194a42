gzip -c "$DATA/otutl/valid.jsonl" >valid.jsonl.gz
zstd -q -c "$DATA/otutl/valid.jsonl" >valid.jsonl.zst
trackway hash "$DATA/otutl/valid.jsonl" valid.jsonl.gz valid.jsonl.zst | cut -d ' ' -f 1 | sort | uniq -c | sed 's/^ *//'
