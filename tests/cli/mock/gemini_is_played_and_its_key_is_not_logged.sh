# shellcheck disable=SC1091,SC2154 # found by $DATA, where $url and $server are set
. "$DATA/mock/server.sh"
serve -q --script "$DATA/mock/script.json" --log log
body='{"contents":[{"role":"user","parts":[{"text":"tools"}]}]}'
ask '/v1beta/models/g:generateContent?key=AIzaCANARY' "$body"
echo
ask '/v1beta/models/g:streamGenerateContent?alt=sse&key=AIzaCANARY' "$body"
ask '/v1/models/g:streamGenerateContent?key=AIzaCANARY' "$body"
ask '/v1beta/models/g:countTokens?key=AIzaCANARY' "$body"
echo
ask '/v1beta/models/g:generateContent?key=AIzaCANARY' '{"messages":[]}'
echo
ask '/v1beta/models/g:embedEverything?key=AIzaCANARY' "$body"
echo
stop
sed 's/,"ms".*//' log
grep CANARY log said complained || echo "the key is nowhere"
