. "$DATA/../cli/import/common"
mkdir -p tree/e-1/_artifacts tree/_old
cp "$DATA/trial/full.json" tree/e-1/t-001.json
cp "$DATA/trial/full.json" tree/_old/t-001.json
echo '{}' >tree/e-1/_artifacts/x.json
trackway import aec tree
trackway import aec tree "$EXAMPLES/aec-trials.jsonl" --json
cmp "$DATA/trial/full.json" ledger/records/e-1/t-001.json
