. "$DATA/../cli/ledger/common"
start_with_trials
trackway -q ledger prove t-001 -o t >/dev/null
mkdir away
cd away || exit 1
TRACKWAY_KEYS=own masked trackway ledger review --make-key ana.example.org
masked trackway ledger review --proof ../t.tlog-proof --entry ../t.entry --vkey ../trials.vkey --judgment fail --reviewer ana \
	--sign-with own/*.key -o review.json
cd ..
masked trackway ledger add away/review.json
masked trackway ledger review away/review.json
sed 's/fail/pass/; s/"review_id": ".*"/"review_id": "r-2"/' away/review.json >forged.json
masked trackway ledger add forged.json
masked trackway ledger show t-001 | tail -n 1 | sed 's/+[0-9a-f]\{8\})/+ID)/'
masked trackway ledger verify --vkey trials.vkey | tail -n 2
