trackway export "$DATA/show/version.jsonl" --format dot -o a.dot
echo $?
trackway export "$DATA/show/version.jsonl" --format dot --permissive -o a.dot
