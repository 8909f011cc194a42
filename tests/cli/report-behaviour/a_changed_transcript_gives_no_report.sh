. "$DATA/../cli/report-behaviour/common"
start_with_talk 1.0
rm -r ledger/artifacts # names for people
trackway report behaviour --csv | cut -d, -f 1-4,11
file=$(grep -rl "I will write the file.\"}$" ledger/objects | sort | tail -n 1)
chmod u+w "$file"
sed -i 's/I will write/I will check/' "$file"
trackway report behaviour --csv
