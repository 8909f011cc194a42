. "$DATA/../cli/trial-run/common"
trackway trial run task --agent true --ledger nowhere
