{
	printf '{"role":"user","content":"'
	seq 30 | sed 's/$/\\n/' | tr -d '\n'
	printf '"}\n{"role":"assistant","content":"a \\u001b[31mred\\ttab and words that are long enough '
	printf 'to need a second line of the screen, really"}\n'
} >talk.jsonl
trackway show talk.jsonl --transcript
trackway show talk.jsonl --transcript --all | wc -l
