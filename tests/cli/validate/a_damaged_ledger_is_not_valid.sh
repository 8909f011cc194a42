. "$DATA/../cli/ledger/common"
start_with_trials
chmod u+w ledger/tile/0/000.p/2 && printf XXXXXXXX | dd of=ledger/tile/0/000.p/2 bs=1 seek=40 conv=notrunc 2>/dev/null
masked trackway validate t-001.json ledger t-002.json | sed 's/ ([0-9]* ms)//'
masked trackway validate ledger --json=path,format,verdict,codes
