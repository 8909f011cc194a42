# a limit of 8 blocks of 512 bytes for each file: the first output fits, the second does not
E=$DATA/../../doc/examples
mkdir in
cp "$E/chat.jsonl" in/a.jsonl
cp "$E/session.jsonl" in/b.jsonl
(
	ulimit -f 8
	trackway convert in --to otutl -o out/
)
echo $?
ls -A out
trackway convert in --to otutl -o out/ --update
