key=AKIA$(printf Q3EGRTVLMNZ2XW5P)
printf '{"role":"user","content":"my key is %s"}\n{"role":"assistant","content":"ok"}\n' "$key" >talk.jsonl
trackway validate --json=verdict,codes talk.jsonl
trackway validate --secrets --json=verdict,codes talk.jsonl
for form in text json sarif github junit; do
	trackway validate --secrets --report $form talk.jsonl
done | grep -c "$key"
