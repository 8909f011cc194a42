. "$DATA/../cli/trial-run/common"
# Status 200, and then an error: services that are overloaded end their streams so.
cat >serve.py <<'END'
import http.server

STREAM = b'data: {"id":"c","object":"chat.completion.chunk","model":"m","choices":[{"index":0,"delta":{"content":"4"}}]}\n\n' \
         b'data: {"error":{"message":"overloaded","type":"server_error"}}\n\n'


class Handler(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        self.rfile.read(int(self.headers["Content-Length"]))
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.end_headers()
        self.wfile.write(STREAM)

    def log_message(self, *args):
        pass


server = http.server.HTTPServer(("127.0.0.1", 0), Handler)
print(server.server_port, flush=True)
server.handle_request()
END
cat >agent.py <<'END'
import os
import urllib.request
body = b'{"model":"m","stream":true,"messages":[{"role":"user","content":"2 + 2"}]}'
request = urllib.request.Request(os.environ["OPENAI_BASE_URL"] + "/chat/completions", body,
                                 {"Content-Type": "application/json"})
urllib.request.urlopen(request, timeout=20).read()
END
python3 serve.py >port &
while [ ! -s port ]; do sleep 0.05; done
trackway trial run task --agent "python3 agent.py" --upstream "openai=http://127.0.0.1:$(cat port)/v1" --isolation none -q |
	sed 's/127.0.0.1:[0-9]*/ADDRESS/' | plain
wait
