cat >s.json <<'END'
[{"id": "a", "name": "a", "prompt": "fine", "validator": {"type": "command", "argv": ["grep", "-q", "fine"]}}]
END
trackway bench run s.json --target mock:m
echo "exit $?"
trackway bench run s.json --target mock:m --allow-commands=unsandboxed --run-id r -q >/dev/null
grep -o '"objective_pass":[a-z]*' runs/r/results.jsonl
trackway bench run s.json --target mock:m --allow-commands=always
