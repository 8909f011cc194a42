. "$DATA/../cli/report/common"
start
for n in 1 2 3; do
	trial "l-$n" 1.0 m-large "civil/t-$n"
	trial "s-$n" "0.$((n * 4 - 4))" m-small "civil/t-$n"
done
trackway -q ledger add ./?-?.json >/dev/null
trackway report compare m-large m-small --json=tests | cut -d: -f4-12
