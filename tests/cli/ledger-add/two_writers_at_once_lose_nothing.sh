. "$DATA/../cli/ledger/common"
start
for n in 1 2 3 4 5 6 7 8; do
	record "t-$n"
done
(trackway -q ledger add t-1.json t-2.json t-3.json t-4.json >one) &
trackway -q ledger add t-5.json t-6.json t-7.json t-8.json >two
wait
cat one two | cut -d ' ' -f 1 | sort | tr '\n' ' '
trackway ledger verify --json=ok
