. "$(dirname "$0")/common"
mkdir in
for i in 1 2 3 4 5 6 7 8; do
	sed "s/harbour/harbour $i/" log.jsonl > in/$i.jsonl
done
trackway redact in -o one/ --jobs 1 --json=values,bytes
trackway redact in -o four/ --jobs 4 --json=values,bytes
find one -name '*.agent-trace.jsonl' | wc -l
diff -r one four
