. "$DATA/../cli/report/common"
start
trial a-1 0.0 m-a t/1
trackway -q ledger add a-1.json >/dev/null 2>&1
mkdir -p ledger/artifacts/e-1/a-1
cat >ledger/artifacts/e-1/a-1/classification.json <<'END'
{"classified_turns":4,"mean_turn_confidence":0.5,"bond_counts":{"execution":3,"verification":1}}
END
trackway report behaviour --json=rows
