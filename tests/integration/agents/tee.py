"""A tee between the recorder and the mock: passes everything on, and counts the calls of models and tools it saw."""

import http.client
import http.server
import json
import re
import socket
import socketserver
import threading
import urllib.parse

import frames

CALLS = re.compile(r"/(messages|responses|chat/completions)$|:(stream)?[gG]enerateContent$")

# What begins a call of a tool in an answer, streamed or not, by the id that tells two of them apart.
TOOLS = (
    re.compile(r'"type": ?"tool_use", ?"id": ?"([^"]+)"'),
    re.compile(r'"type": ?"(?:function|custom_tool)_call"(?:(?!"type").)*?"call_id": ?"([^"]+)"'),
    re.compile(r'"tool_calls": ?\[(?:(?!\]).)*?"id": ?"([^"]+)"'),
    re.compile(r'"functionCall": ?(\{"(?:(?!functionCall).){0,60})'),
)


class Tee:
    """With an address of its own while it is entered."""

    def __init__(self, target):
        self.target = urllib.parse.urlsplit(target).netloc
        self.calls, self.tools, self.failed, self.seen = 0, set(), 0, []
        self.lock = threading.Lock()
        self.busy, self.quiet = 0, threading.Condition()  # exchanges that are not counted yet

    def __enter__(self):
        tee = self

        class Handler(Exchange):
            owner = tee

        self.server = Server(("127.0.0.1", 0), Handler)
        self.thread = threading.Thread(target=self.server.serve_forever, daemon=True)
        self.thread.start()
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}"
        return self

    def __exit__(self, *_):
        """An agent that has read the last byte may end before that exchange is counted here."""
        with self.quiet:
            self.quiet.wait_for(lambda: not self.busy, 5)
        self.server.shutdown()
        self.server.server_close()

    def at_work(self, more):
        with self.quiet:
            self.busy += more
            self.quiet.notify_all()

    def count(self, path, status, answer, headers=None, body=b""):
        """A whole exchange."""
        with self.lock:
            self.seen.append((path, status, headers or {}, len(body)))
            if not CALLS.search(path.partition("?")[0]):
                return
            self.calls += 1
            self.failed += status >= 400
            self.count_tools(answer)

    def count_tools(self, answer):
        for pattern in TOOLS:
            self.tools.update(pattern.findall(answer))


class Server(socketserver.ThreadingMixIn, http.server.HTTPServer):
    daemon_threads = True
    block_on_close = False


class Exchange(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    owner = None

    def pass_on(self):
        if self.headers.get("Upgrade", "").lower() == "websocket":
            return self.pass_socket()
        self.owner.at_work(+1)
        try:
            self.exchange()
        except (OSError, http.client.HTTPException):  # either side went away
            self.close_connection = True
        finally:
            self.owner.at_work(-1)

    do_GET = do_POST = do_HEAD = do_PUT = do_DELETE = do_OPTIONS = pass_on

    def exchange(self):
        body = self.read_body()
        headers = {k: v for k, v in self.headers.items() if k.lower() not in ("host", "connection", "transfer-encoding")}
        headers["Accept-Encoding"] = "identity"
        upstream = http.client.HTTPConnection(self.owner.target, timeout=60)
        upstream.request(self.command, self.path, body, headers)
        answer = upstream.getresponse()
        whole = []
        try:
            self.send_on(answer, whole)
        finally:  # an agent that went away in the middle of the answer has asked all the same
            upstream.close()
            text = b"".join(whole).decode(errors="replace")
            self.owner.count(self.path, answer.status, text, dict(self.headers.items()), body)

    def read_body(self):
        if "chunked" not in self.headers.get("Transfer-Encoding", ""):
            return self.rfile.read(int(self.headers.get("Content-Length") or 0))
        body = b""
        while True:
            size = int(self.rfile.readline().split(b";")[0], 16)
            body += self.rfile.read(size)
            self.rfile.readline()
            if size == 0:
                return body

    def send_on(self, answer, whole):
        """Passes the answer on; its pieces are in whole."""
        self.send_response(answer.status)
        chunked = self.command != "HEAD" and answer.headers.get("Content-Length") is None
        for name, value in answer.getheaders():
            if name.lower() not in ("connection", "transfer-encoding", "date", "server"):
                self.send_header(name, value)
        if chunked:
            self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        while self.command != "HEAD" and (piece := answer.read1(65536)):
            whole.append(piece)
            self.wfile.write(b"%x\r\n%s\r\n" % (len(piece), piece) if chunked else piece)
        if chunked:
            self.wfile.write(b"0\r\n\r\n")

    def pass_socket(self):
        """Both ends talk plain text to us, message by message."""
        self.close_connection = True
        host, port = self.owner.target.split(":")
        with socket.create_connection((host, int(port)), 60) as conn:
            head = f"GET {self.path} HTTP/1.1\r\nHost: {self.owner.target}\r\n"
            for name, value in self.headers.items():
                if name.lower() not in ("host", "sec-websocket-extensions"):
                    head += f"{name}: {value}\r\n"
            conn.sendall(head.encode() + b"\r\n")
            answer = b""
            while not answer.endswith(b"\r\n\r\n"):
                answer += conn.recv(1) or b"\r\n\r\n"
            self.wfile.write(answer)
            if b" 101 " not in answer.split(b"\r\n")[0] + b" ":
                return
            self.relay(frames.Talk(self.connection, False, False), frames.Talk(conn, True, False))

    def relay(self, client, server):
        thread = threading.Thread(target=self.relay_answers, args=(server, client), daemon=True)
        thread.start()
        try:
            while True:
                text = client.receive()
                asked = json.loads(text)
                if asked.get("type") == "response.create" and asked.get("generate") is not False:
                    with self.owner.lock:
                        self.owner.calls += 1
                server.send(text)
        except (frames.Closed, OSError):
            server.conn.close()
        thread.join(10)

    def relay_answers(self, server, client):
        try:
            while True:
                text = server.receive()
                with self.owner.lock:
                    self.owner.count_tools(text)
                client.send(text)
        except (frames.Closed, OSError):
            pass

    def log_message(self, *_):
        pass
