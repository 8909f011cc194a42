. "$DATA/../cli/trial-classify/common"
trackway convert trajectory.jsonl --to otutl -o run.otutl.jsonl -q
sed 's/"text":"[^"]*"/"text":""/; s/"args":{[^}]*}/"args":null/' run.otutl.jsonl >bare.jsonl
trackway trial classify bare.jsonl
