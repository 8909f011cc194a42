E=$DATA/../../doc/examples
mkdir -p in/.unfinished "in/two
lines" in/link in/..dots out elsewhere
cp "$E/chat.jsonl" in/.unfinished/a.jsonl
cp "$E/chat.jsonl" "in/two
lines/b.jsonl"
cp "$E/chat.jsonl" in/link/c.jsonl
cp "$E/chat.jsonl" in/..dots/d.jsonl
cp "$E/chat.jsonl" outside.jsonl
ln -s ../outside.jsonl in/e.jsonl
cp "$E/chat.jsonl" in/f.jsonl
ln -s ../elsewhere out/link
ln -s ../elsewhere/f out/f.jsonl.otutl.jsonl
trackway convert in --to otutl -o out/
echo $?
find out elsewhere -type f -o -type l | LC_ALL=C sort
