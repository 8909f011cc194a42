for n in 0 1 2 5; do
	trackway hash --jobs "$n" "$DATA/otutl/valid.jsonl" | sha256sum
done
