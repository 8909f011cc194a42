printf '{\n  "a": 1,\n  "é": [1, 2 3]\n}\n' > bad.json
trackway canon bad.json
