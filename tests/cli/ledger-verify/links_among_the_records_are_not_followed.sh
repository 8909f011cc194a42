. "$DATA/../cli/ledger/common"
start_with_trials
mkdir -p elsewhere/private
echo secret >elsewhere/private/diary.json
ln -s ../../elsewhere ledger/records/x
ln -s ../../elsewhere/private ledger/records/e-9
masked trackway ledger verify
rm -r ledger/records ledger/diagnostic/records
ln -s ../elsewhere ledger/records
masked trackway ledger verify --json=ok,errors
