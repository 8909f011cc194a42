# The long name is what rows, files and later commands have.
trackway mock --listen 127.0.0.1:0 -q >address &
mock=$!
while [ ! -s address ]; do sleep 0.05; done
base=$(head -n 1 address)
export OPENAI_API_KEY=key-of-openai ANTHROPIC_API_KEY=key-of-anthropic AZURE_OPENAI_API_KEY=key-of-azure GEMINI_API_KEY=key-of-gemini
export OPENROUTER_API_KEY=key-of-openrouter AZURE_OPENAI_ENDPOINT="$base/"
echo '[{"id":"A","name":"a","prompt":"p","validator":{"type":"noop"}}]' >suite.json
trackway bench run suite.json --target openai:m --base openai="$base/v1" --target vllm:m --base openai-chat="$base/v1" \
	--target ollama:m --base ollama="$base" --target anthropic:m --base anthropic="$base" --target azure:m \
	--target gemini:m --base gemini="$base/v1beta/openai" --target openrouter:m --base openrouter="$base/api/v1" \
	--run-id r -q >/dev/null
echo $?
sed 's/.*"provider":"\([^"]*\)".*"availability_status":"\([^"]*\)".*/\1 \2/' runs/r/results.jsonl | sort
(cd runs/r && echo resources_*_before.txt | tr " " "\n")
grep -l key-of runs/r/*
trackway bench compare r --a openai:m --b vllm:m --metric latency | sed -n '/against/p'
trackway bench show r --target anthropic:m --plain | cut -f 2
trackway bench run --resume r -q >/dev/null
echo $?
kill $mock
wait $mock 2>/dev/null
true
