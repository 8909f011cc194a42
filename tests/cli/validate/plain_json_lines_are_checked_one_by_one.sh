printf '{"a":1}\n[2]\n"three"\n' >good.txt
printf '{"a":1}\n{"a":\n3\n' >bad.txt
trackway validate --as jsonl --json=path,format,verdict,events good.txt bad.txt
