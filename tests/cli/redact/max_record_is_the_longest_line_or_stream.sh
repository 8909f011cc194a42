. "$(dirname "$0")/common"
trackway redact log.jsonl -o out.jsonl --keep-structure --max-record 64; echo $?
event='data: {"id":"c","choices":[{"index":0,"delta":{"content":"a b"}}]}'
printf '%s\n\n' "$event" "$event" "$event" > stream.sse
trackway redact stream.sse -o out.sse --keep-structure --max-record 203; echo $?
trackway redact stream.sse -o out.sse --keep-structure --max-record 204 -q; echo $?
ls out*
