printf '[1,2,3,4,5,6,7,8,9]\n' >values.jsonl
trackway hash --max-record 10 values.jsonl
