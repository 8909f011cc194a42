. "$DATA/../cli/runs/common"
make_runs
sed -i 's/"agent.py"/"ag\\u001b[31ment"/; s/"raw_openai"/"\\u202e"/' runs/c/meta.json
COLUMNS=120 trackway runs --kind record --limit 1
