. "$DATA/../cli/import/common"
for experiment in one two; do
	trackway -q import prime --evaluation "$EXAMPLES/prime.json" --samples "$EXAMPLES/prime-samples.json" \
		--experiment $experiment >/dev/null
done
trackway -q ledger export --layout tree out
trackway -q ledger export --layout tree --ledger "$DATA/ledger-0.1" old
for tree in out old; do
	cd $tree/_diagnostic || exit
	sed -n 's/.*\(conversation\|raw_output\)_path": "\(.*\)",/\2/p' ./*/*.json | LC_ALL=C sort -u | while read -r path; do
		sha256sum <"$path" | cut -c 1-8 | tr '\n' ' '
		echo "$path"
	done
	find . -name '*.json' -not -path '*/_*' -type f | LC_ALL=C sort
	cd ../..
done
trackway import aec out/_diagnostic old/_diagnostic --dry-run
