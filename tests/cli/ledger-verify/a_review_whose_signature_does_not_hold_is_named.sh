. "$DATA/../cli/ledger/common"
start_with_trials
TRACKWAY_KEYS=own trackway -q ledger review --make-key ana.example.org >ana.vkey
trackway -q ledger review t-001 --judgment fail --reviewer ana --sign-with own/*.key >/dev/null
masked trackway ledger verify --reviewer-key ana.vkey | tail -n 1
masked trackway ledger verify --reviewer-key trials.vkey --json=ok,findings | sed 's/+[0-9a-f]\{8\},/+ID,/'
# an owner who seals what nobody signed so: the signature of one review on another
trackway ledger show 2 --only record | sed 's/fail/pass/; s/"review_id": ".*"/"review_id": "r-2"/' >forged.json
trackway -q ledger review t-001 --judgment pass --reviewer ana -o plain.json
trackway ledger review plain.json >/dev/null 2>&1
masked trackway ledger add forged.json
