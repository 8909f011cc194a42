"""TLS interception: clients that ask for the real hosts of services are captured, and nothing else is touched. The mock, or a
server of the test, stands for the services by --upstream."""

import hashlib
import http.client
import io
import json
import os
import shutil
import socket
import ssl
import subprocess
import time
import urllib.parse

import canary
import harness
import sockets
from certificates import CannotMake, authority
from recording import Recorded
from shapes import Canaries
from wire import Upstream, chunked, read_chunks, whole

HOSTS = {"openai": "api.openai.com", "anthropic": "api.anthropic.com", "gemini": "generativelanguage.googleapis.com"}
PREFIX = {"openai": "/v1"}
CHAT = {"model": "m", "messages": [{"role": "user", "content": "hi"}]}
WAITING = 'printf "%s\\n" "$HTTPS_PROXY" "$SSL_CERT_FILE"; read -r code; exit "${code:-0}"'


class Gate:
    """A recorder that intercepts, whose child does nothing: the test asks it as a client would that was told of it."""

    def __init__(self, suite, upstream, options=(), more=None):
        self.where = os.path.join(suite.directory("gate"), "out")
        words = [*suite.arguments(self.where, upstream, ["--intercept", *options]), "sh", "-c", WAITING]
        self.process = subprocess.Popen(words, cwd=suite.place, env=suite.variables(more), stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.proxy, self.trust = (self.process.stdout.readline().decode().strip() for _ in range(2))
        if not self.trust:
            self.process.kill()
            raise harness.Broken(f"the child was told nothing: {self.process.communicate()[1][-300:]}")
        self.at = urllib.parse.urlsplit(self.proxy)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
        self.process.communicate()

    def finish(self):
        out, err = self.process.communicate(b"0\n", 60 * harness.SLOWER)
        return Recorded(self.where, self.process.returncode, out, err, 0)

    def context(self):
        made = ssl.create_default_context(cafile=self.trust)
        made.options &= ~getattr(ssl, "OP_IGNORE_UNEXPECTED_EOF", 0)  # some Pythons take a cut stream for one that ended
        return made

    def tunnel(self, host, port=443, timeout=30):
        conn = socket.create_connection((self.at.hostname, self.at.port), timeout)
        conn.sendall(f"CONNECT {host}:{port} HTTP/1.1\r\nHost: {host}:{port}\r\n\r\n".encode())
        got = b""
        while b"\r\n\r\n" not in got:
            data = conn.recv(1)  # what follows is the other side's
            if not data:
                raise OSError(f"no answer to CONNECT: {got!r}")
            got += data
        if b" 200 " not in got.split(b"\r\n")[0]:
            raise OSError(got.decode(errors="replace"))
        return conn

    def ask(self, host, method, path, body=None, headers=None):
        client = http.client.HTTPSConnection(self.at.hostname, self.at.port, context=self.context(), timeout=30 * harness.SLOWER)
        client.set_tunnel(host, 443)
        try:
            client.request(method, path, body, headers or {})
            got = client.getresponse()
            return got.status, got.read()
        finally:
            client.close()


def chat_answer(request):
    asked = json.loads(request.body)
    usage = {"prompt_tokens": 3, "completion_tokens": 2, "total_tokens": 5}
    if asked.get("stream"):
        events = [{"id": "x", "model": "m", "choices": [{"index": 0, "delta": {"content": "w" * 1000}, "finish_reason": None}]}] * asked.get("n", 3)
        last = {"id": "x", "model": "m", "choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}], "usage": usage}
        return chunked([b"data: " + json.dumps(e).encode() + b"\n\n" for e in (*events, last)] + [b"data: [DONE]\n\n"])
    choice = {"index": 0, "message": {"role": "assistant", "content": "hello"}, "finish_reason": "stop"}
    return whole(json.dumps({"id": "x", "model": "m", "choices": [choice], "usage": usage}).encode())


def run(suite):
    clients(suite)
    secrets(suite)
    try:
        root = authority(suite.directory("certificates"))
        made = root.path, root.sign("localhost", ("DNS:localhost",)).context()
        untouched(suite, made)
        unwilling(suite, made)
    except CannotMake as e:
        suite.skip("other hosts", f"openssl cannot make certificates: {e}")
    streams(suite)
    killed(suite)
    websocket(suite)


# ---- programs ----


def programs():
    """name -> (command, why it cannot be run here)"""
    body = json.dumps(CHAT)
    url = "https://api.openai.com/v1/chat/completions"
    post = f"headers={{'content-type': 'application/json'}}, data={body!r}"
    python = [os.environ.get("PYTHON", "python3"), "-c"]
    fetch = (f"fetch({url!r}, {{method: 'POST', headers: {{'content-type': 'application/json'}}, body: {body!r}}})"
             ".then(r => r.text()).then(t => console.log(t)).catch(e => { console.log(e.cause ?? e); process.exit(1) })")
    return {
        "curl": (["curl", "-sS", url, "-H", "content-type: application/json", "-d", body], has("curl")),
        "curl with HTTP/2 and TLS 1.2": (["curl", "-sS", "--http2", "--tls-max", "1.2", url, "-H", "content-type: application/json", "-d", body],
                                         has("curl")),
        "Python's urllib": ([*python, f"import urllib.request as u; print(u.urlopen(u.Request({url!r}, {body.encode()!r}, "
                             "{'content-type': 'application/json'})).read().decode())"], None),
        "requests": ([*python, f"import requests; print(requests.post({url!r}, {post}).text)"], module("requests")),
        "httpx": ([*python, f"import httpx; print(httpx.post({url!r}, {post}).text)"], module("httpx")),
        "Node's fetch": (["node", "-e", fetch], node()),
    }


def has(program):
    return None if shutil.which(program) else f"{program} is not installed"


def module(name):
    done = subprocess.run(["python3", "-c", f"import {name}"], capture_output=True, check=False)
    return None if done.returncode == 0 else f"Python's {name} is not installed"


def node():
    if not shutil.which("node"):
        return "node is not installed"
    version = subprocess.run(["node", "--version"], capture_output=True, check=False).stdout.decode().strip()
    numbers = tuple(int(n) for n in version.lstrip("v").split(".")[:2])
    return None if numbers >= (24, 0) or (22, 21) <= numbers < (23, 0) else f"node {version} does not know NODE_USE_ENV_PROXY"


def clients(suite):
    with suite.mock() as mock:
        upstream = {"openai": mock.url + "/v1", "anthropic": mock.url, "gemini": mock.url}
        for name, (command, why) in programs().items():
            if why:
                suite.skip(name, why)
                continue
            done = suite.record(command, upstream, ["--intercept"])
            suite.one(f"{name} is answered in the place of api.openai.com", done.status == 0 and b"chat.completion" in done.out,
                      f"{done.status} {done.out[-200:]} {done.err[-300:]}")
            calls = done.trace().models()
            suite.one(f"{name}: the call is in the trace", len(calls) == 1 and calls[0]["model_call"]["model"] == "m", f"{calls}")
            suite.one(f"{name}: the trace is valid", suite.strict(done.where) == [], f"{suite.strict(done.where)}")
            suite.one(f"{name}: nothing is left of the certificates", "interception.pem" not in done.files(), f"{list(done.files())}")


# ---- content ----


def secrets(suite):
    c = Canaries(suite.random)
    made = [x for x in canary.exchanges(c) if x.service in HOSTS][:120]
    bad = []
    with Upstream(lambda request: made[int(request.header("x-number") or 0)].answer()) as upstream, \
            Gate(suite, {p: upstream.url for p in HOSTS}) as gate:
        for number, x in enumerate(made):
            status, _ = gate.ask(HOSTS[x.service], x.method, PREFIX.get(x.service, "") + x.path, x.body, {**x.headers, "x-number": str(number)})
            if status != x.status:
                bad.append((x.path[:40], f"status {status} and not {x.status}"))
        with open(gate.trust, "rb") as f:
            suite.one("the child's file of certificates holds no key", b"PRIVATE" not in f.read(), "it does")
        done = gate.finish()
    suite.check(f"{len(made)} exchanges with canaries pass under TLS", bad, len(made))
    files = {**done.files(), "standard error": done.err.encode(), "standard output": done.out}
    suite.one("they are in the trace", len(done.trace().models()) > 20, f"{done.trace().kinds()}")
    suite.check("no canary is in what is written", canary.leaks(c.put, c.put, files), len(c.put))
    status, out, err, _ = suite.run(["validate", "--strict", "--secrets", os.path.join(done.where, "agent-trace.jsonl")])
    suite.one("the trace is valid, and holds no secret", status == 0, f"{out[-300:]} {err[-300:]}")


# ---- hosts that are nobody's business ----


def untouched(suite, made):
    trust, context = made
    said = os.urandom(300000)
    with Upstream(lambda request: whole(request.body[::-1], kind="application/octet-stream"), context) as other, \
            suite.mock() as mock, Gate(suite, mock.url, more={"SSL_CERT_FILE": trust, "SSL_CERT_DIR": ""}) as gate:
        straight = ssl.get_server_certificate(("localhost", other.port))
        client = http.client.HTTPSConnection(gate.at.hostname, gate.at.port, context=gate.context(), timeout=30)
        client.set_tunnel("localhost", other.port)
        client.request("POST", "/v1/chat/completions", said, {"Host": "localhost"})
        seen = ssl.DER_cert_to_PEM_cert(client.sock.getpeercert(True))
        got = client.getresponse().read()
        client.close()
        raw = other.seen[0].raw
        done = gate.finish()
    suite.one("another host shows its own certificate", seen == straight, "it is another")
    same = raw.startswith(b"POST /v1/chat/completions HTTP/1.1\r\n") and b"\r\nHost: localhost\r\n" in raw
    suite.one("and what is said passes byte for byte", got == said[::-1] and same,
              f"{hashlib.sha256(got).hexdigest()} {raw[:200]}")
    suite.one("it is not recorded, and named when nothing else is", done.trace().models() == [] and f"localhost:{other.port}" in done.err, done.err)


# ---- clients that will not have us ----


def unwilling(suite, made):
    trust, context = made
    with Upstream(chat_answer, context) as service:
        address = f"https://localhost:{service.port}"
        with Gate(suite, {"mine": address}, more={"SSL_CERT_FILE": trust, "SSL_CERT_DIR": ""}) as gate:
            first = shake(gate, "localhost", service.port, ssl.create_default_context(cafile=trust))
            second = shake(gate, "localhost", service.port, ssl.create_default_context(cafile=trust))
            done = gate.finish()
        suite.one("a client that pins certificates is refused once", "CERTIFICATE_VERIFY_FAILED" in first, first)
        suite.one("then it passes", second == "well", second)
        told = f"localhost:{service.port} does not trust" in done.err and "TRACKWAY_CA_FILE" in done.err
        suite.one("and it is told, with the remedy", told, done.err)
    with suite.mock() as mock, Gate(suite, {"openai": mock.url + "/v1"}) as gate:
        context = gate.context()
        context.set_alpn_protocols(["h2"])
        said = shake(gate, HOSTS["openai"], 443, context)
        again = gate.ask(HOSTS["openai"], "POST", "/v1/chat/completions", json.dumps(CHAT))
        done = gate.finish()
    suite.one("a client that speaks only HTTP/2 is refused", said != "well", said)
    suite.one("and told", "speaks only HTTP/2" in done.err, done.err)
    suite.one("others are served", again[0] == 200 and len(done.trace().models()) == 1, f"{again}")


def shake(gate, host, port, context):
    try:
        with gate.tunnel(host, port) as conn, context.wrap_socket(conn, server_hostname=host):
            return "well"
    except (ssl.SSLError, OSError) as e:
        return str(e)


# ---- streams ----


def streams(suite):
    with Upstream(chat_answer) as upstream, Gate(suite, {p: upstream.url for p in HOSTS}) as gate:
        context, session, resumed = gate.context(), None, []
        for _ in range(3):
            with gate.tunnel(HOSTS["openai"]) as conn, context.wrap_socket(
                    conn, server_hostname=HOSTS["openai"], session=session, suppress_ragged_eofs=False) as sealed:
                resumed.append(sealed.session_reused)
                ask(sealed, {**CHAT, "messages": [{"role": "user", "content": f"turn {len(resumed)}"}]})
                drain(sealed, 0)
                session = sealed.session
        suite.one("sessions are resumed", resumed == [False, True, True], f"{resumed}")
        with gate.tunnel(HOSTS["openai"]) as conn, context.wrap_socket(
                conn, server_hostname=HOSTS["openai"], suppress_ragged_eofs=False) as sealed:
            ask(sealed, {**CHAT, "stream": True, "n": 6000})
            time.sleep(0.3)  # the client is slow: more waits than the buffers between us hold
            got = read_chunks(io.BytesIO(drain(sealed, 0.0002).split(b"\r\n\r\n", 1)[1])) or b""
        done = gate.finish()
    events = got.count(b"w" * 1000)
    suite.one("a slow client gets all of a stream of 6 MB", events == 6000 and b"[DONE]" in got, f"{len(got)} bytes, {events} events")
    calls = done.trace().models()
    suite.one("and all calls are whole", [c["model_call"]["stop_reason"] for c in calls] == ["end_turn"] * 4, f"{[c['model_call'] for c in calls]}")


def ask(conn, value):
    body = json.dumps(value).encode()
    conn.sendall(b"POST /v1/chat/completions HTTP/1.1\r\nHost: api.openai.com\r\nConnection: close\r\nContent-Type: application/json\r\n"
                 b"Content-Length: %d\r\n\r\n%b" % (len(body), body))


def drain(conn, pause):
    """All that comes until the end that TLS has for it; without that end this raises."""
    got = []
    while True:
        data = conn.recv(16384)
        if not data:
            return b"".join(got)
        got.append(data)
        time.sleep(pause)


# ---- the recorder dies ----


def killed(suite):
    def slowly(request):
        event = {"id": "x", "model": "m", "choices": [{"index": 0, "delta": {"content": "w"}, "finish_reason": None}]}
        def pieces():
            for _ in range(2000):
                yield b"data: " + json.dumps(event).encode() + b"\n\n"
                time.sleep(0.005)
        return chunked(pieces()) if json.loads(request.body).get("stream") else chat_answer(request)

    bad, left = [], []
    with Upstream(slowly) as upstream:
        for n in range(5):
            with Gate(suite, {p: upstream.url for p in HOSTS}) as gate:
                gate.ask(HOSTS["openai"], "POST", "/v1/chat/completions", json.dumps(CHAT))
                with gate.tunnel(HOSTS["openai"]) as conn, gate.context().wrap_socket(
                        conn, server_hostname=HOSTS["openai"], suppress_ragged_eofs=False) as sealed:
                    ask(sealed, {**CHAT, "stream": True})
                    sealed.recv(100)
                    time.sleep(0.02 * n)
                    gate.process.kill()
                    try:
                        drain(sealed, 0)
                        bad.append((n, "the stream ended as if it were whole"))
                    except OSError:
                        pass
                gate.process.wait()
                with open(os.path.join(gate.where, "agent-trace.jsonl"), "rb") as f:
                    lines = f.read().split(b"\n")
                for line in lines[:-1]:
                    json.loads(line)
                if not any(b"model_call" in line for line in lines):
                    bad.append((n, "the first call is not in the trace"))
                with open(gate.trust, "rb") as f:
                    left.append(b"PRIVATE" in f.read())
                status, _ = suite.show(gate.where)
                if status not in (0, 1):
                    bad.append((n, f"show gave {status}"))
    suite.check("a recorder that is killed leaves whole lines, and a stream that is seen to be cut", bad, 5)
    suite.one("and no key", left == [False] * 5, f"{left}")


# ---- WebSockets ----


def websocket(suite):
    with suite.mock() as mock, Gate(suite, {"openai": mock.url + "/v1"}) as gate:
        said = []
        with gate.tunnel(HOSTS["openai"]) as conn, gate.context().wrap_socket(conn, server_hostname=HOSTS["openai"]) as sealed:
            ws = sockets.dial("https://api.openai.com/v1", "/responses", conn=sealed)
            ws.send(json.dumps({"type": "response.create", "model": "m", "input": [{"role": "user", "content": "a canary of sockets"}]}))
            while not said or said[-1]["type"] not in ("response.completed", "error"):
                said.append(json.loads(ws.text()))
            ws.close()
        done = gate.finish()
    suite.one("a WebSocket is answered under TLS", said[-1]["type"] == "response.completed", f"{said[-1]}")
    suite.one("and recorded", len(done.trace().models("m")) == 1, f"{done.trace().kinds()} {done.err}")
    suite.one("without its content", not any(b"canary of" in f for f in done.files().values()), "it is there")
