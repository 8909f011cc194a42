# logs are rotated: another source of the same name must not take the only copy
E=$DATA/../../doc/examples
mkdir d1 d2
cp "$E/session.jsonl" d1/a.jsonl
cp "$E/chat.jsonl" d2/a.jsonl
trackway convert d1 --to otutl -o out/ -q
cp out/a.jsonl.otutl.jsonl kept
rm -r d1
trackway convert d2 --to otutl -o out/ -q
cmp kept out/a.jsonl.otutl.jsonl && find out -type f | sort | sed 's/~[0-9a-f]*/~TAG/'
