. "$DATA/../cli/ledger/common"
start
trackway bench run -q builtin:sanity --target mock:echo --run-id b-1 >/dev/null 2>&1
masked trackway ledger add runs
trackway ledger show b-1 --json=entry | grep -o '"suites":\["5077c6e9'
trackway ledger show b-1 --json=files | tr '{' '\n' | sed -n 's/.*"name":"\([^"]*\)".*"stored":\([a-z]*\).*/\1 \2/p'
