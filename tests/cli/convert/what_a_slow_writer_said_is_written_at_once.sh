cp "$DATA/../../doc/examples/session.jsonl" .
mkfifo in out
trackway convert - --to otutl -q <in >out &
exec 3>in 4<out
head -n 7 session.jsonl >&3
# comes while the writer still has the pipe open; otherwise this waits for ever
read -r line <&4
echo "$line" | grep -o '"type":"run_start"'
tail -n 1 session.jsonl >&3
exec 3>&-
grep -c . <&4
wait
