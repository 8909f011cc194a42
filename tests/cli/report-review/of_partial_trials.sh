. "$DATA/../cli/report/common"
start_with_models
reviews p-1 ana pass
reviews p-1 ana fail
reviews s-4 ben pass
trackway report review --json=reviews,settings | sed 's/"settings.*"standing"/"settings":..."standing"/'
trackway report review --partial --json=reviews,settings | sed 's/"settings.*"standing"/"settings":..."standing"/'
trackway report queue --partial --csv
