cat >wrong.json <<'END'
{
	"schema": "trackway.mock/1",
	"rules": [
		{ "match": { "contains": "x" }, "pace": { "ttft": 50 } }
	]
}
END
trackway mock --script wrong.json
