. "$DATA/../cli/trial-classify/common"
printf '# mine\nexploration\t5\talways\t-\tall of it\n' >own.tsv
trackway trial classify trajectory.jsonl --rules own.tsv --json=trials | grep -o '"bond_counts":{[^}]*}'
