. "$DATA/../cli/record/common"
start_mock
MOCK=${url#http://} record -o run --intercept -- sh -c '"$0" "$MOCK" /v1/models | head -c 30; echo' "$cases/through"
MOCK=${url#http://} record -o named --intercept --upstream "mine=$url" -- sh -c '
	"$0" "$MOCK" /v1/chat/completions '"'"'{"model":"m","messages":[{"role":"user","content":"hi"}]}'"'"' | head -n 1' "$cases/through"
