# A line without a label is the digest of the bytes (sha256sum) or of the canonical form (version 0.1.0).
printf '{"b": 1, "a": 2}\n' >value.json
sha256sum value.json >raw
printf '%s  value.json\n' "$(printf '{"a":2,"b":1}' | sha256sum | cut -d' ' -f1)" >canonical
trackway hash value.json >labelled
for sums in raw canonical labelled; do
	trackway hash --check $sums
done
printf ' ' >>value.json
for sums in raw canonical labelled; do
	trackway hash --check $sums
	echo "exit $?"
done
