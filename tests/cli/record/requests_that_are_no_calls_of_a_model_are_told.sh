. "$DATA/../cli/record/common"
start_mock
record --upstream "openai=$url/v1" -- sh -c '"$0/ask" "$OPENAI_BASE_URL/models"' "$cases" | cut -c1-40
record -o run --upstream "openai=$url/v1" -- sh -c '"$0/ask" "$OPENAI_BASE_URL/models"; "$0/ask" "$OPENAI_BASE_URL/models"
	"$0/ask" "$OPENAI_BASE_URL/chat/completions" "{\"model\":\"small\",\"messages\":[{\"role\":\"user\",\"content\":\"hi\"}]}"' \
	"$cases" >out
grep other_requests run/meta.json
