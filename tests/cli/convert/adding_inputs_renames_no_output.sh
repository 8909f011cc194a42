E=$DATA/../../doc/examples
mkdir -p a b m
cp "$E/chat.jsonl" m/x.jsonl
trackway convert m --to otutl -o out/ -v
cp "$E/session.jsonl" m/a.jsonl
cp "$E/session.jsonl" a/x.jsonl
cp "$E/session.jsonl" b/x.jsonl
trackway convert a m b --to otutl -o out/ -v
trackway convert b a m --to otutl -o out/ --update
rm -r m
trackway convert a b --to otutl -o out/ --update
ls out
