. "$DATA/../cli/report-behaviour/common"
start
talk p-1 "Let me verify the result against the table." "I will write the file."
trial p-1 1.0 m-a t/1 's|out/trajectory|p-1/trajectory|; s|"completeness":"complete"|"completeness":"partial"|'
trackway -q ledger add p-1.json >/dev/null 2>&1
trackway report behaviour --csv
trackway report behaviour --partial --json=rows,transitions
shown trackway report behaviour --partial
