. "$(dirname "$0")/common"
echo 'X-Team: research' >headers
echo secret >key
trackway mock -q --log log >address &
mock=$!
until [ -s address ]; do sleep 0.05; done
trackway bench run "$suite" --target ollama_openai:m --base "ollama_openai=$(head -n 1 address)/v1" --key-file ollama_openai=key \
	--header-file headers --system 'be brief' --temperature 0.5 --max-tokens 50 --no-stream --seed 7 --run-id r -q >/dev/null
echo "exit $?"
kill $mock
python3 -c '
import json
c = json.load(open("runs/r/config.json"))
print({k: c[k] for k in ("system", "temperature", "max_tokens", "stream", "seed")})
print({(r["model"], r["stream"], r["status"]) for r in map(json.loads, open("log"))})'
grep -rl secret runs/r
