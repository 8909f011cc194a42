. "$DATA/../cli/report-behaviour/common"
start_with_talk 0.99
trackway report behaviour --json | grep -o '"cosine_similarity":[^}]*\|"reference_[^}]*'
# a report on one model has no reference of another one
trial a-3 1.0 m-a t/3 "s|out/trajectory|a-1/trajectory|"
trackway -q ledger add a-3.json >/dev/null
trackway report behaviour --model m-b --json=rows | grep -o '"cosine_similarity":.*'
trackway report behaviour --model m-a --json=rows | grep -o '"cosine_similarity":.*'
