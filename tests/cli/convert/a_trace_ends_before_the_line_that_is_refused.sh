sed '1!s,agent-trace/v1,agent-trace/v2,' "$DATA/agent-trace/minimal.jsonl" >mixed.jsonl
trackway convert mixed.jsonl --to otutl >file.out
echo "$?"
trackway convert - --to otutl <mixed.jsonl >pipe.out
echo "$?"
while read -r line; do printf '%s\n' "$line"; sleep 0.1; done <mixed.jsonl | trackway convert - --to otutl >slow.out
echo "$?"
cmp pipe.out slow.out
sed 's/.*"status":"\([a-z]*\)".*/\1/' file.out pipe.out | grep -v '{'
head -n 1 "$DATA/agent-trace/minimal.jsonl" >begin.jsonl
trackway convert begin.jsonl --to agent-trace >begin.out
trackway convert mixed.jsonl --to agent-trace --quiet >mixed.out
cmp begin.out mixed.out
