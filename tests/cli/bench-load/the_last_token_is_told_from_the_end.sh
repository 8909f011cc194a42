# The service says its last word, then waits for a fifth of a second before it ends the stream with the usage.
cat >script.json <<'END'
{"schema":"trackway.mock/1","rules":[{"reply":{"text":"one","usage":{"output":11}},"fault":{"stall_ms":200}}]}
END
load() {
	trackway bench load --target mock:m --mock-script script.json --rate 50 --requests 3 -q "$@" >/dev/null
}
load --run-id a
python3 - <<'END'
import json
a = json.load(open('runs/a/load.json'))['all']
print(a['e2e_ms']['min'] - a['e2e_last_ms']['max'] > 150, a['e2e_sent_ms']['min'] - a['e2e_last_sent_ms']['max'] > 150)
print(a['tpot_ms']['min'] >= 19, a['tpot_last_ms']['max'], a['e2e_last_ms']['n'])
for line in open('runs/a/requests.jsonl'):
    r = json.loads(line)
    print(r['end_ms'] - r['last_token_ms'] > 150, r['last_token_ms'] == r['first_token_ms'])
END
grep -c 'to the last token' runs/a/load.md
load --run-id b --slo 'tpot_last<=0ms' --fail-under 'goodput>=100%'
echo $?
load --run-id c --fail-under 'max_tpot<=15ms' 2>&1 | sed 's/[0-9]* ms/N ms/'
