. "$DATA/../cli/ledger/common"
start_with_trials
rm -rf ledger/records .cache
echo garbage >ledger/.state/ids.idx
masked trackway ledger fsck --repair-index --force-network
ls ledger/records/* ledger/diagnostic/records/*
