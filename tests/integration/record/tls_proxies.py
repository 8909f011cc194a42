"""Proxies of the environment on the way to a service that speaks TLS: which one is asked, what it is told, and what is said
when it refuses."""

import base64
import contextlib
import json
import socket
import ssl
import threading

import harness
from certificates import Identity
from wire import Upstream, ask, whole

NAME = "service.example"
SECRET = "pro xy:pass/word"
AS_URL = "someone:pro%20xy%3Apass%2Fword"


class Proxy:
    """
    Leads every CONNECT to one port, whatever it asks for. credentials: what it wants to be told, or 407. says: its answer
    instead. What was asked for is in `asked`, the heads in `heads`.
    """

    def __init__(self, port, context=None, credentials=None, says=None, slowly=False):
        self.to, self.context, self.credentials, self.says, self.slowly = port, context, credentials, says, slowly
        self.asked, self.heads = [], []
        self.listener = socket.create_server(("127.0.0.1", 0), backlog=256)
        self.port = self.listener.getsockname()[1]
        self.url = f"{'https://localhost' if context else 'http://127.0.0.1'}:{self.port}"
        threading.Thread(target=self.accept, daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.listener.close()

    def accept(self):
        while True:
            try:
                conn, _ = self.listener.accept()
            except OSError:
                return
            threading.Thread(target=self.serve, args=(conn,), daemon=True).start()

    def serve(self, conn):
        with contextlib.suppress(OSError, ValueError):
            if self.context:
                conn = self.context.wrap_socket(conn, server_side=True)
            with conn:
                self.lead(conn)

    def lead(self, conn):
        head = b""
        while not head.endswith(b"\r\n\r\n"):
            byte = conn.recv(1)
            if not byte:
                return
            head += byte
        self.heads.append(head)
        self.asked.append(head.split(b"\r\n")[0].decode())
        wanted = self.credentials and b"Basic " + base64.b64encode(self.credentials.encode())
        if self.says is not None:
            conn.sendall(self.says)
        elif wanted and wanted not in head:
            conn.sendall(b"HTTP/1.1 407 Authentication Required\r\nProxy-Authenticate: Basic realm=x\r\nContent-Length: 0\r\n\r\n")
        else:
            agreed = b"HTTP/1.1 200 Connection established\r\nVia: somebody\r\n\r\n"
            for byte in [agreed[i : i + 1] for i in range(len(agreed))] if self.slowly else [agreed]:
                conn.sendall(byte)
            with socket.create_connection(("127.0.0.1", self.to)) as service:
                back = threading.Thread(target=pump, args=(service, conn), daemon=True)
                back.start()
                pump(conn, service)
                back.join()


def pump(source, to):
    with contextlib.suppress(OSError, ValueError):
        while True:
            data = source.recv(65536)
            if not data:
                break
            to.sendall(data)
    with contextlib.suppress(OSError):
        socket.socket.shutdown(to, socket.SHUT_WR)


def question(n=0):
    return json.dumps({"model": "m", "messages": [{"role": "user", "content": f"by proxy {n}"}]})


def answer(_):
    return whole(b'{"id":"p","model":"m","choices":[],"usage":{"prompt_tokens":5,"completion_tokens":6,"total_tokens":11}}')


def through(suite, address, more, count=2):
    """([status of each call], the last answer, the recording)"""
    with suite.hold(address, more=more) as held:
        got = [ask(held.urls["openai"], "POST", "/chat/completions", question(n), timeout=60 * harness.SLOWER) for n in range(count)]
        done = held.finish()
    return [g.status for g in got], got[-1], done


def used(suite, root, service):
    """The ways to name a proxy. Both calls have one connection through it."""
    near = root.sign("proxy", ("DNS:localhost",))
    ways = {
        "HTTPS_PROXY": ("HTTPS_PROXY", {}, ""),
        "https_proxy": ("https_proxy", {}, ""),
        "ALL_PROXY": ("ALL_PROXY", {}, ""),
        "HTTPS_PROXY with credentials": ("HTTPS_PROXY", {"credentials": f"someone:{SECRET}"}, AS_URL + "@"),
        "a proxy that answers byte by byte": ("HTTPS_PROXY", {"slowly": True}, ""),
        "an https proxy": ("HTTPS_PROXY", {"context": near.context()}, ""),
        "an https proxy with credentials": ("HTTPS_PROXY", {"context": near.context(), "credentials": f"someone:{SECRET}"}, AS_URL + "@"),
        "an https proxy of TLS 1.2": ("ALL_PROXY", {"context": near.context(ssl.TLSVersion.TLSv1_2)}, ""),
    }
    for title, (variable, options, user) in ways.items():
        with Upstream(answer, service.context()) as upstream, Proxy(upstream.port, **options) as proxy:
            url = proxy.url.replace("://", "://" + user)
            status, last, done = through(suite, f"https://{NAME}", {**root.trust, variable: url})
        suite.one(f"{title} is used", status == [200, 200] and b'"p"' in last.body, f"{status} {last.body[:300]} {done.err[-300:]}")
        suite.one(f"{title} is asked once for the service", proxy.asked == [f"CONNECT {NAME}:443 HTTP/1.1"], f"{proxy.asked}")
        seen = b"".join(r.raw for r in upstream.seen)
        suite.one(f"{title} is not told of to the service", b"proxy" not in seen.lower(), f"{seen[:300]}")
        told = [n for n, text in {**done.files(), "stderr": done.err.encode()}.items() if hides(text)]
        suite.one(f"{title}: no credentials are written", not told, f"{told}")
        ends = {c["model_call"]["endpoint"] for c in done.trace().models()}
        suite.one(f"{title}: the trace has the service's address", ends == {f"https://{NAME}/v1/chat/completions"}, f"{ends}")


def hides(text):
    return any(s.encode() in text for s in (SECRET, AS_URL, "pro%20xy", base64.b64encode(f"someone:{SECRET}".encode()).decode()))


def named(suite, root):
    """Names that only the proxy finds: wildcards of certificates."""
    wild = root.sign("wild", ("DNS:*.wild.example",))
    for host, want in (("api.wild.example", 200), ("API.Wild.Example", 200), ("wild.example", 502), ("a.api.wild.example", 502),
                       ("apiwild.example", 502)):
        with Upstream(answer, wild.context()) as upstream, Proxy(upstream.port) as proxy:
            status, last, done = through(suite, f"https://{host}:8443", {**root.trust, "HTTPS_PROXY": proxy.url}, 1)
        good = status == [want] and (want == 200 or (b"*.wild.example" in last.body and "*.wild.example" in done.err))
        suite.one(f"*.wild.example is {'good' if want == 200 else 'not good'} for {host}", good, f"{status} {last.body[:300]}")
    partial = root.sign("partial", ("DNS:a*.wild.example", "DNS:*", "DNS:*.example"))
    with Upstream(answer, partial.context()) as upstream, Proxy(upstream.port) as proxy:
        status, last, _ = through(suite, "https://api.wild.example", {**root.trust, "HTTPS_PROXY": proxy.url}, 1)
    suite.one("a star in a part of a name, or for everything, is not good", status == [502], f"{status} {last.body[:300]}")


def refusing(suite, root, service):
    """A proxy that does not do it: 502, and what it said."""
    ways = {
        "407 without credentials": ({"credentials": f"someone:{SECRET}"}, "", ("407", "credentials")),
        "407 with the wrong ones": ({"credentials": "someone:else"}, AS_URL + "@", ("407", "credentials")),
        "403": ({"says": b"HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n"}, "", ("403",)),
        "502": ({"says": b"HTTP/1.1 502 Bad Gateway\r\nContent-Length: 3\r\n\r\nno\n"}, "", ("502",)),
        "an end without a word": ({"says": b""}, "", ("closed", "without", "broke")),
        "half an answer": ({"says": b"HTTP/1.1 200 Conn"}, "", ("closed", "broke", "without", "HTTP")),
        "what is no HTTP": ({"says": b"\x15\x03\x03\0\2\2\x46 who are you?\r\n\r\n"}, "", ("HTTP",)),
        "a head without end": ({"says": b"HTTP/1.1 200 OK\r\n" + b"X-Long: " + b"x" * 300000}, "", ("HTTP", "large", "long", "head")),
        "what comes before its time": ({"says": b"HTTP/1.1 200 OK\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi"}, "",
                                       ("TLS", "before")),
    }
    for title, (options, user, words) in ways.items():
        with Upstream(answer, service.context()) as upstream, Proxy(upstream.port, **options) as proxy:
            url = proxy.url.replace("://", "://" + user)
            status, last, done = through(suite, f"https://{NAME}", {**root.trust, "HTTPS_PROXY": url})
        suite.one(f"a proxy that says {title}: 502", status == [502, 502] and not upstream.seen, f"{status} {last.body[:300]}")
        texts = (last.body.decode(errors="replace"), " ".join(done.err.split()))
        told = all("proxy" in t and NAME in t and any(w in t for w in words) for t in texts)
        suite.one(f"a proxy that says {title}: it is told", told, f"{texts[0][-400:]} / {texts[1][-400:]}")
        suite.one(f"a proxy that says {title}: no credentials are told", not any(hides(t.encode()) for t in texts), f"{texts}")


def unreachable(suite, root, service):
    status, last, done = through(suite, f"https://{NAME}", {**root.trust, "HTTPS_PROXY": "http://127.0.0.1:9"}, 1)
    told = all("proxy" in t and "refused" in t for t in (last.body.decode(errors="replace"), done.err))
    suite.one("a proxy that is not there is told", status == [502] and told, f"{status} {last.body[:300]} {done.err[-300:]}")
    for title, value in (("no address", "http://"), ("another scheme", "socks5://127.0.0.1:9"), ("a wrong port", "http://127.0.0.1:99999")):
        status, last, done = through(suite, f"https://{NAME}", {**root.trust, "HTTPS_PROXY": value}, 1)
        told = all("HTTPS_PROXY" in t or "proxy" in t for t in (last.body.decode(errors="replace"), done.err))
        suite.one(f"HTTPS_PROXY with {title} is told", status == [502] and told, f"{status} {last.body[:300]} {done.err[-300:]}")
    bad = Identity(root.place, "localhost", ("DNS:localhost",))
    with Upstream(answer, service.context()) as upstream, Proxy(upstream.port, bad.context()) as proxy:
        status, last, done = through(suite, f"https://{NAME}", {**root.trust, "HTTPS_PROXY": proxy.url}, 1)
    told = all("proxy" in t and "certificate" in t for t in (last.body.decode(errors="replace"), done.err))
    suite.one("an https proxy with a bad certificate is refused", status == [502] and told and not proxy.asked, f"{status} {last.body[:300]}")
    other = root.sign("other", ("DNS:other.example",))
    with Upstream(answer, other.context()) as upstream, Proxy(upstream.port) as proxy:
        status, last, _ = through(suite, f"https://{NAME}", {**root.trust, "HTTPS_PROXY": proxy.url}, 1)
    good = status == [502] and b"certificate" in last.body and not upstream.seen
    suite.one("a proxy cannot lead to a service of another name", good, f"{status} {last.body[:300]}")


# no name can have such a part, so that looking for it ends at once
NOWHERE = "x" * 64


def exempt(suite, root, service):
    """NO_PROXY: (what it says, the host, whether the proxy is asked)"""
    rows = [
        ("other.example", "service.example", True),
        ("service.example", f"{NOWHERE}.service.example", False),
        (".service.example", f"{NOWHERE}.service.example", False),
        ("*.service.example", f"{NOWHERE}.service.example", False),
        ("rvice.example", f"{NOWHERE}.service.example", True),
        ("other.example, service.example ,third.example", f"{NOWHERE}.service.example", False),
        ("*", f"{NOWHERE}.service.example", False),
        ("0.0.0.0/8", "0.0.0.0", False),
        ("0.0.0.0", "0.0.0.0", False),
        ("128.0.0.0/1,10.0.0.0/8", "0.0.0.0", True),
        ("", "0.0.0.0", True),
    ]
    names = tuple(f"DNS:{h}" for h in ("service.example", "*.service.example")) + ("IP:0.0.0.0",)
    identity = root.sign("exempt", names)
    for value, host, asked in rows:
        with Upstream(answer, identity.context()) as upstream, Proxy(upstream.port) as proxy:
            more = {**root.trust, "HTTPS_PROXY": proxy.url, "NO_PROXY": value}
            status, last, done = through(suite, f"https://{host}:{upstream.port}", more, 1)
        want = 200 if asked or host == "0.0.0.0" else 502  # a name that is nowhere is found by the proxy only
        right = bool(proxy.asked) == asked and status == [want]
        suite.one(f"NO_PROXY={value!r}: {host[-30:]} is asked {'through the proxy' if asked else 'straight'}", right,
                  f"{status} {proxy.asked} {last.body[:300]} {done.err[-200:]}")


def run(suite, root):
    service = root.sign(NAME, (f"DNS:{NAME}",))
    used(suite, root, service)
    named(suite, root)
    refusing(suite, root, service)
    unreachable(suite, root, service)
    exempt(suite, root, service)
