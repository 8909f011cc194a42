cat >s.json <<'END'
[
  {"id": "a", "name": "a", "prompt": "p", "validator": {"type": "exact"}},
  {"id": "a", "name": "a", "prompt": "p", "validator": {"type": "exactly", "value": "x"}}
]
END
trackway bench run s.json --target mock:m
