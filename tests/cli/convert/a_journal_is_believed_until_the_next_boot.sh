E=$DATA/../../doc/examples
mkdir in
cp "$E/session.jsonl" "$E/chat.jsonl" in
trackway convert in --to otutl -o out/ -q
cp out/index.jsonl whole
killed()
{
	mkdir out/.unfinished
	{ echo "{\"boot_id\":\"$1\"}"; head -n 1 whole; tail -n 1 whole | head -c 100; } >out/.unfinished/journal.jsonl
	echo half >out/.unfinished/run-7
	rm out/index.jsonl
}
killed "$(cat /proc/sys/kernel/random/boot_id)"
trackway convert in --to otutl -o out/ --update
cmp whole out/index.jsonl
killed 00000000-0000-4000-8000-000000000000
trackway convert in --to otutl -o out/ --update
cmp whole out/index.jsonl
ls -A out
