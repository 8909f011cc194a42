. "$DATA/../cli/ledger/common"
start
mkdir records
echo secret >secret.txt
echo secret >records/.hidden
ln -s ../secret.txt records/link.txt
ln -s .. records/up
mkfifo records/pipe
mkdir records/dir
n=0
for path in ../secret.txt "$PWD/secret.txt" link.txt up/secret.txt .hidden dir/../../secret.txt pipe dir; do
	n=$((n + 1))
	record t-$n "s|out/raw.txt|$path|; s|\"out/conversation.jsonl\"|null|; s|\"out/trajectory.jsonl\"|null|"
	mv t-$n.json records/
	masked trackway ledger add records/t-$n.json 2>&1 >/dev/null | sed 1q
done
! grep -rqs secret ledger/objects --include='*' -x
