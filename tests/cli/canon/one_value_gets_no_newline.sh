printf '{ "b": 1.0, "a": [1e5, "\\u00e9\\/"] }\n' > value.json
trackway canon value.json | od -c | head -3
