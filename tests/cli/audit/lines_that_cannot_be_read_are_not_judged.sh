sed '3s/.*/{"oops/' "$DATA/audit/kept.otutl.jsonl" >damaged.otutl.jsonl
trackway audit damaged.otutl.jsonl
