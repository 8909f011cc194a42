. "$DATA/../cli/ledger/common"
start_with_trials
# a commit that was not published: the checkpoint and the tiles of before, with the frames of after
cp -r ledger before
record t-004
trackway -q ledger add t-004.json >/dev/null
cp ledger/.state/wal before/.state/wal
cp -r ledger/objects ledger/records before/
TRACKWAY_KEYS=none masked trackway ledger verify --ledger before --vkey trials.vkey
TRACKWAY_KEYS=none masked trackway ledger verify --ledger before --json=ok,warnings
