. "$DATA/../cli/ledger/common"
start_with_trials
command -v script >/dev/null || { echo yes; echo no; exit; }
echo t-01 | script -qec "trackway ledger erase t-001 --reason r" /dev/null >/dev/null
[ -e ledger/records/e-1/t-001.json ] && echo no
echo t-001 | script -qec "trackway ledger erase t-001 --reason r" /dev/null >/dev/null
[ -e ledger/records/e-1/t-001.json ] || echo yes
