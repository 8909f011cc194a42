# A forged summary and a tampered record lie some levels down: the directory above is not valid.
. "$DATA/../cli/ledger/common"
start_with_trials
mkdir -p all/a/b all/c all/d
mv ledger all/a/b/ledger
cp -rL "$DATA/bench/run" all/c/run
masked trackway validate all --json=path,format,verdict | tr '{' '\n' |
	sed -n 's/^"path":"\([^"]*\)","format":"\([^"]*\)","verdict":"\([^"]*\)".*/\1 \2 \3/p'
sed -i '0,/"n_success": 4/s//"n_success": 5/' all/c/run/summary.json
chmod u+w all/a/b/ledger/tile/0/000.p/2 && printf XXXXXXXX | dd of=all/a/b/ledger/tile/0/000.p/2 bs=1 seek=40 conv=notrunc 2>/dev/null
masked trackway validate all >said
echo "exit $?"
grep -A 1 '^error' said
