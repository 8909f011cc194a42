trackway audit "$DATA/audit/interrupted.otutl.jsonl" && trackway audit "$DATA/audit/no_end.otutl.jsonl"
# a last line that breaks off
head -c -20 "$DATA/audit/calls.otutl.jsonl" >torn.otutl.jsonl
trackway audit torn.otutl.jsonl
