trackway audit - <"$DATA/audit/calls.otutl.jsonl"
