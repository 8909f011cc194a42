. "$DATA/../cli/record/common"
# The child of a terminal has the terminal: nothing is kept of what it writes there.
script -qec 'trackway record -q --content -o run -- sh -c "test -t 1 && echo a terminal" 2>said' /dev/null </dev/null | tr -d '\r'
tail -n 1 run/cassette.jsonl | grep -o '"exit_code".*'
ls run
