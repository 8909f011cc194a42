. "$(dirname "$0")/common"
cat > cassette.jsonl <<END
{"v":"cassette/v1","run_id":"019f0000-0000-7000-8000-000000000001","recorder":"trackway 1","started":"2026-07-01T10:00:00.000000Z","clock0_us":1782900000000000,"redacted":false,"local_only":true}
{"x":0,"lane":"model","group":0,"provider":"anthropic","endpoint":"https://api.anthropic.com/v1/messages","req":{"method":"POST","target":"/v1/messages","headers":{"content-type":"application/json"},"body":{"sha256":"00","size":1,"enc":"json","inline":{"model":"claude-x","max_tokens":9,"messages":[{"role":"user","content":"harbour plan"}]}}},"resp":{"status":200,"headers":{},"body":{"sha256":"00","size":1,"enc":"json","inline":{"id":"m1","type":"message","role":"assistant","model":"claude-x","content":[{"type":"text","text":"harbour plan"}],"usage":{"input_tokens":3,"output_tokens":2}}},"chunks":[[300,10]],"end":"eof"},"t_us":1782900000000000,"dur_us":5}
END
trackway redact cassette.jsonl -o out.jsonl --keep-structure -q
cat out.jsonl
trackway convert out.jsonl --to conversation -q
