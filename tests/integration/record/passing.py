"""How things pass: at once, unmixed, and with nothing added but what a proxy must."""

import gzip
import json
import socket
import threading
import time

import harness
from recording import each
from wire import Client, Upstream, answers, ask, chunk, chunked, connect, head, receive, whole

HOPS = ("connection", "keep-alive", "te", "trailer", "transfer-encoding", "upgrade", "proxy-connection")


def lock_step(suite):
    """The service sends each event only after the client has the one before: a proxy that gathers would wait for ever."""
    count, arrived = 200, threading.Semaphore(0)

    def answer(request):
        yield head(headers=[("Content-Type", "text/event-stream"), ("Transfer-Encoding", "chunked")])
        for n in range(count):
            yield chunk(b"data: %d\n\n" % n)
            if not arrived.acquire(timeout=10):
                return
        yield b"0\r\n\r\n"

    with Upstream(answer) as upstream, suite.hold(upstream.url) as held:
        start = time.monotonic()
        with Client(held.urls["openai"]) as client:
            client.http.request("POST", client.prefix + "/chat/completions", b'{"model":"m","stream":true,"messages":[]}')
            got, lines = client.http.getresponse(), 0
            while line := got.readline():
                if line.startswith(b"data"):
                    lines += 1
                    arrived.release()
        took = time.monotonic() - start
        done = held.finish()
    suite.one("each piece reaches the client before the next is sent", lines == count and took < 5 * harness.SLOWER, f"{lines} in {took:.1f} s")
    suite.one("and the recorder ends well", done.status == 0, done.err[-200:])


def uploads(suite):
    """The same the other way: the service has the first part of a request while the client holds back the rest."""
    first = threading.Event()

    class Early(Upstream):
        def serve_one(self, conn, stream):
            while stream.readline() not in (b"\r\n", b""):
                pass
            if b"first" in stream.readline() + stream.readline():
                first.set()
            data = b""
            while not data.endswith(b"0\r\n\r\n"):
                data += stream.readline()
            conn.sendall(whole(b"got it"))
            return False

    with Early(None) as upstream, suite.hold(upstream.url) as held, connect(held.urls["bare"]) as conn:
        conn.sendall(b"POST /openai/v1/files HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n" + chunk(b"first\r\n"))
        came = first.wait(5 * harness.SLOWER)
        conn.sendall(chunk(b"second") + b"0\r\n\r\n")
        got, _ = receive(conn, 1 * harness.SLOWER)
        held.finish()
    suite.one("a request is passed on while it is still being sent", came, "nothing had arrived")
    suite.one("and answered when it is complete", b"got it" in got, f"{got!r}")


def crowd(suite):
    """Many clients at once on connections that are kept: each gets what it asked for, and all of it is recorded."""
    clients, each_asks = 32, 40

    def answer(request):
        asked = json.loads(request.body)
        text = asked["messages"][0]["content"]
        tokens = {"prompt_tokens": len(text), "completion_tokens": 1, "total_tokens": len(text) + 1}
        if asked.get("stream"):
            event = {"id": text, "model": "m", "choices": [{"index": 0, "delta": {"content": text}, "finish_reason": "stop"}], "usage": tokens}
            return chunked([b"data: " + json.dumps(event).encode() + b"\n\n", b"data: [DONE]\n\n"])
        message = {"role": "assistant", "content": text}
        return whole(json.dumps({"id": text, "model": "m", "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
                                 "usage": tokens}).encode())

    with Upstream(answer) as upstream, suite.hold(upstream.url) as held:

        def talk(number):
            bad = []
            with Client(held.urls["openai"]) as client:
                for n in range(each_asks):
                    text = f"client {number} asks {n} " + "x" * (number * n)
                    body = json.dumps({"model": "m", "stream": n % 2 == 0, "messages": [{"role": "user", "content": text}]})
                    got = client.ask("POST", "/chat/completions", body)
                    if got.status != 200 or text.encode() not in got.body:
                        bad.append((text[:30], f"{got.status} {got.body[:80]!r}"))
            return bad

        bad = [b for found in each(talk, range(clients), clients) for b in found]
        done = held.finish()
    suite.check("many clients at once get their own answers", bad, clients * each_asks)
    trace = done.trace()
    suite.one("and every call is in the trace", len(trace.models()) == clients * each_asks, f"{len(trace.models())}")
    sizes = sum(len(f"client {c} asks {n} ") + c * n for c in range(clients) for n in range(each_asks))
    got = sum(c["model_call"]["input_tokens"] for c in trace.models())
    suite.one("with its own tokens", got == sizes == trace.summary["total_tokens"]["input"], f"{got} and not {sizes}")
    suite.check("the trace is without a finding", [("trace", f) for f in suite.strict(done.where)], 1)


def headers(suite):
    """Headers reach the other side as they are, but for those of one connection."""
    sent = [("X-Odd-Case", "Kept"), ("x-twice", "one"), ("x-twice", "two"), ("X-Empty", ""), ("X-Latin", "caf\xe9"),
            ("Accept-Encoding", "gzip, br"), ("Authorization", "Bearer sk-none"), ("Cookie", "a=b"), ("User-Agent", "test/1"),
            ("Accept", "*/*"), ("X-Hop", "drop me"), ("Connection", "X-Hop")]
    back = [("X-Answer-Case", "Kept"), ("Set-Cookie", "a=1"), ("Set-Cookie", "b=2"), ("X-Hop", "drop me"), ("Connection", "X-Hop, keep-alive"),
            ("Keep-Alive", "timeout=5"), ("Server", "test"), ("x-request-id", "r1")]
    with Upstream(lambda request: whole(b"{}", headers=back)) as upstream, suite.hold(upstream.url) as held:
        lines = "".join(f"{k}: {v}\r\n" for k, v in sent)
        with connect(held.urls["bare"]) as conn:
            conn.sendall(f"GET /openai/v1/models?limit=2&a=%20b HTTP/1.1\r\nHost: recorder.example:1\r\n{lines}\r\n".encode("latin-1"))
            got, _ = receive(conn, 0.3 * harness.SLOWER)
        held.finish()
        seen = upstream.seen[0]
    kept = [(k, v) for k, v in sent if k not in ("Connection", "X-Hop", "Accept-Encoding")]
    arrived = [(k, v) for k, v in seen.headers if k in {n for n, _ in kept}]
    suite.one("headers of a request arrive in their order and spelling", arrived == kept, f"{arrived} and not {kept}")
    bad = [(k, v) for k, v in seen.headers if k.lower() in HOPS or k == "X-Hop"]
    suite.check("those of the connection do not", [b for b in bad if b[0].lower() != "connection" or "hop" in b[1].lower()], len(seen.headers))
    suite.one("the service is asked for its own name", seen.header("host") == upstream.url[7:], f"{seen.header('host')}")
    suite.one("and for plain bytes", seen.header("accept-encoding") in (None, "identity"), f"{seen.header('accept-encoding')}")
    suite.one("the query is as it was", seen.target == "/v1/models?limit=2&a=%20b", seen.target)
    found = answers(got, ["GET"])[0].headers
    want = [(k, v) for k, v in back if k not in ("Connection", "X-Hop", "Keep-Alive")]
    suite.one("headers of an answer too", [h for h in found if h[0] in {n for n, _ in want}] == want, f"{found}")
    suite.one("without those of its connection", not any(k == "X-Hop" for k, _ in found), f"{found}")


def odd_answers(suite):
    """Answers without a body, with one that is packed, and those that end with the connection."""
    text = json.dumps({"id": "p", "model": "m", "usage": {"prompt_tokens": 77, "completion_tokens": 5, "total_tokens": 82},
                       "choices": [{"index": 0, "message": {"role": "assistant", "content": "packed"}, "finish_reason": "stop"}]}).encode()
    packed = gzip.compress(text)
    made = {
        "gzip": whole(packed, headers=[("Content-Encoding", "gzip")]),
        "204": head(204),
        "304": head(304, [("ETag", '"x"')]),
        "early": b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n" + whole(text),
        "empty": whole(b""),
        "head": head(200, [("Content-Length", "12345")]),
    }

    def answer(request):
        if request.header("x-want") == "until the end":
            request.conn.sendall(head(200, [("Content-Type", "application/json"), ("Connection", "close")]) + text)
            request.conn.shutdown(socket.SHUT_WR)
            time.sleep(0.2)
            return b""
        return made[request.header("x-want")]

    with Upstream(answer) as upstream, suite.hold(upstream.url) as held:
        got = {w: ask(held.urls["openai"], "HEAD" if w == "head" else "POST", "/chat/completions",
                      None if w == "head" else f'{{"model":"m","messages":[{{"role":"user","content":"{w}"}}]}}', {"x-want": w})
               for w in (*made, "until the end")}
        done = held.finish()
    bodies = {"gzip": packed, "early": text, "until the end": text, "204": b"", "304": b"", "empty": b"", "head": b""}
    bad = [(w, f"{g.status}, {len(g.body)} bytes, {'whole' if g.whole else 'cut'}") for w, g in got.items()
           if g.body != bodies[w] or not g.whole or g.status != {"204": 204, "304": 304}.get(w, 200)]
    suite.check("answers of every kind pass as they are", bad, len(got))
    tokens = [c["model_call"]["input_tokens"] for c in done.trace().models() if c["model_call"]["input_tokens_source"] == "api"]
    suite.one("and are read, packed or not", tokens == [77, 77, 77], f"{tokens}")
    suite.one("the length of an answer to HEAD is told", got["head"].header("content-length") == "12345", f"{got['head'].headers}")


def expecting(suite):
    """A client that asks first whether to send its body."""
    with Upstream(lambda request: whole(request.body)) as upstream, suite.hold(upstream.url) as held, connect(held.urls["bare"], 10) as conn:
        conn.sendall(b"POST /openai/v1/files HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nExpect: 100-continue\r\n\r\n")
        first, _ = receive(conn, 0.5 * harness.SLOWER)
        conn.sendall(b"hello")
        rest, _ = receive(conn, 0.3 * harness.SLOWER)
        held.finish()
    suite.one("a client that asks first is told to go on", first.startswith(b"HTTP/1.1 100"), f"{first!r}")
    suite.one("and answered", rest.endswith(b"hello"), f"{rest!r}")


def large_request(suite):
    body = b"y" * (24 << 20)
    with Upstream(lambda request: whole(b"%d" % len(request.body))) as upstream, suite.hold(upstream.url) as held:
        # of pieces the client does not know the length, and sends chunks
        got = [ask(held.urls["openai"], "POST", "/files", b, timeout=60 * harness.SLOWER).body
               for b in (body, iter([body[: 1 << 20]] * 24))]
        held.finish()
    suite.one("24 MiB are sent, with a length and in chunks", got == [b"%d" % len(body)] * 2, f"{got}")


def version_six(suite):
    try:
        listener = socket.create_server(("::1", 0), family=socket.AF_INET6)
    except OSError as e:
        suite.skip("IPv6", str(e))
        return
    upstream = Upstream(lambda request: whole(b"six"))
    upstream.listener.close()
    upstream.listener = listener
    threading.Thread(target=upstream.accept, daemon=True).start()
    with upstream, suite.hold(f"http://[::1]:{listener.getsockname()[1]}") as held:
        got = ask(held.urls["openai"], "GET", "/models")
        held.finish()
    suite.one("a service with an IPv6 address is reached", got.body == b"six", f"{got.status} {got.body}")


def by_proxy(suite):
    """Where the machine has a proxy, the service is asked through it, and the child is not led to it."""
    with Upstream(lambda request: whole(b"by proxy")) as proxy:
        more = {"HTTP_PROXY": proxy.url, "http_proxy": proxy.url}
        with suite.hold("http://service.example:81", more=more) as held:
            got = ask(held.urls["openai"], "GET", "/models")
            held.finish()
        targets = [r.target for r in proxy.seen]
    right = got.body == b"by proxy" and targets == ["http://service.example:81/v1/models"]
    suite.one("the proxy of the environment is used", right, f"{got.status} {got.body[:200]} {targets}")
    with Upstream(lambda request: whole(b"straight")) as service:
        more = {"HTTP_PROXY": "http://127.0.0.1:9", "http_proxy": "http://127.0.0.1:9", "NO_PROXY": "127.0.0.1", "no_proxy": "127.0.0.1"}
        with suite.hold(service.url, more=more) as held:
            got = ask(held.urls["openai"], "GET", "/models")
            held.finish()
    suite.one("but not for what NO_PROXY names", got.body == b"straight", f"{got.status} {got.body[:200]}")


def run(suite):
    for part in (lock_step, uploads, crowd, headers, odd_answers, expecting, large_request, version_six, by_proxy):
        part(suite)
