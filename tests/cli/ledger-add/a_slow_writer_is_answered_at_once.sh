. "$DATA/../cli/ledger/common"
start
record t-001
record t-002
mkfifo in out
trackway -q ledger add - <in >out &
exec 3>in 4<out
cat t-001.json >&3
read -r first <&4
echo "$first" | mask
cat t-002.json >&3
exec 3>&-
mask <&4
wait
