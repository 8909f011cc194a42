E=$DATA/../../doc/examples
mkdir in
cp "$E/session.jsonl" "$E/chat.jsonl" in
trackway convert in --to otutl -o out/ --update
cp -r out first
echo >&2 '-- nothing is new'
trackway convert in --to otutl -o out/ --update
diff -r first out
echo >&2 '-- a new one'
cp in/chat.jsonl in/new.jsonl
trackway convert in --to otutl -o out/ --update -v
echo >&2 '-- a later time'
touch -d 2020-01-01 in/new.jsonl
trackway convert in --to otutl -o out/ --update -v
echo >&2 '-- an output that is not there, and one of another size'
rm out/new.jsonl.otutl.jsonl
echo >>out/chat.jsonl.otutl.jsonl
trackway convert in --to otutl -o out/ --update
echo >&2 '-- another option'
trackway convert in --to otutl -o out/ --update --no-cost
echo >&2 '-- another format in the same directory'
trackway convert in --to trajectory -o out/ --update
ls out
