# a run without an id of its own gets one; two equal ones differ when they share an output
mkdir in
printf '%s\n' '{"role":"user","content":"hi"}' '{"role":"assistant","content":"ho"}' >in/a.jsonl
cp in/a.jsonl in/b.jsonl
for format in otutl agent-trace atif "otlp-json --start 2026-01-31T12:00:00Z"
do
	# shellcheck disable=SC2086 # a format and its option
	trackway convert in --to $format -o "${format%% *}/" -q
	# shellcheck disable=SC2086
	trackway convert in/b.jsonl --to $format -o alone/ -q
done
for format in otutl.jsonl agent-trace.jsonl atif.json otlp.json
do
	for other in */b.jsonl."$format"; do cmp "alone/b.jsonl.$format" "$other"; done
done
ls alone
