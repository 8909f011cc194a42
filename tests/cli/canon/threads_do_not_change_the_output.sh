yes '{"b":[1.0,2e3],"a":"\u0041"}' | head -40000 > run.jsonl
for jobs in 1 2 3; do
	trackway canon --jobs $jobs run.jsonl | sha256sum
done
