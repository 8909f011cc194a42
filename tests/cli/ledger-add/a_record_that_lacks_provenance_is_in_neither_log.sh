. "$DATA/../cli/ledger/common"
start
record t-001 's/"adapter_revision":"sha256:bb"/"adapter_revision":null/; s/"tool_versions":{"bash":"5.2"}/"tool_versions":null/'
masked trackway ledger add t-001.json
status=$?
trackway ledger list
exit $status
