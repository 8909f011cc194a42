. "$DATA/../cli/ledger/common"
start
record t-001
for mode in 777 770 1777 702; do
	chmod "$mode" keys
	masked trackway ledger add t-001.json
	echo "$mode: $?"
done
masked trackway ledger verify
masked trackway ledger init --origin lab.example.org/other --ledger other
chmod 755 keys
masked trackway ledger add t-001.json
