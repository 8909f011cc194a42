. "$DATA/../cli/record/common"
# keep ARGUMENT...: record with content; that no request came is not what is shown here
keep()
{
	trackway record -q --content "$@" 2>said
}

# end DIR: what the cassette's last line says of the child
end()
{
	tail -n 1 "$1/cassette.jsonl" | grep -o '"exit_code".*'
}

# Bytes pass unchanged: text, bytes that are none, a reader that is slow, and more than a pipe holds.
printf 'a line\nno end \0\377' >expected
keep -o bytes -- printf 'a line\nno end \0\377' >got
cmp got expected && cmp bytes/stdout expected && echo 'the same'
end bytes | sed "s/$(sha256sum <expected | cut -c 1-64)/THE DIGEST/"
stat -c %a bytes/stdout
grep -c '"name": "stdout"' bytes/meta.json
trackway validate -q bytes && echo valid

keep -o much -- seq 200000 | { sleep 0.2; cat; } >got
seq 200000 | cmp - got && cmp got much/stdout && echo 'all of it'

# The reader leaves: the child sees what it would see without us.
keep -o left -- sh -c 'seq 200000; echo "seq: $?" >&2; exit 3' | head -n 1
head -n 1 said
end left | sed -E 's/"(sha256)":"[^"]*","size":[0-9]+/"\1":"DIGEST","size":N/'

# Somebody who stays behind holds nobody up; what the child itself wrote is there.
keep -o behind -- sh -c 'sleep 20 & echo done' | cat
cat behind/stdout

# A signal, and a stdout that is no file of ours without --content.
keep -o killed -- sh -c 'printf half; kill -KILL $$'
echo
end killed | stable
trackway record -q -o plain -- echo plain 2>said
ls plain
