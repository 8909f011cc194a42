. "$DATA/../cli/ledger/common"
start_with_trials
masked trackway ledger review t-001 --judgment fail --kind adjudication --notes 'wrong units' --category units --category load \
	--reviewer ana --discipline structural
trackway ledger show 2 --only record | mask
