"""Upstreams that speak TLS: good ones are recorded like any other; of bad ones the client and the user are told why, and
nothing wrong, torn or changed passes as an answer."""

import ctypes
import json
import os
import socket
import ssl
import struct
import subprocess
import threading

import canary
import faults
import harness
import kills
import tls_cuts
import tls_proxies
from certificates import OF_AUTHORITY, OF_SERVER, CannotMake, Identity, Service, authority, openssl
from recording import each
from wire import Client, Hangup, Upstream, ask, chunk, chunked, head, whole

HERE = ("DNS:localhost", "IP:127.0.0.1")
VERSIONS = {"TLS 1.2": ssl.TLSVersion.TLSv1_2, "TLS 1.3": ssl.TLSVersion.TLSv1_3}
NUL = b"localhost\0.other.example"
NUL_NAME = "subjectAltName=DER:" + (bytes([0x30, len(NUL) + 2, 0x82, len(NUL)]) + NUL).hex(":")
EVENT = b'data: {"id":"t1","model":"m","choices":[{"index":0,"delta":{"content":"hello"},"finish_reason":"stop"}],' \
        b'"usage":{"prompt_tokens":31,"completion_tokens":17,"total_tokens":48}}\n\n'


def answer(request):
    asked = json.loads(request.body)
    if asked.get("stream"):
        return chunked([EVENT, b"data: [DONE]\n\n"])
    choice = {"index": 0, "message": {"role": "assistant", "content": "hello"}, "finish_reason": "stop"}
    usage = {"prompt_tokens": 31, "completion_tokens": 17, "total_tokens": 48}
    return whole(json.dumps({"id": "t2", "model": "m", "choices": [choice], "usage": usage}).encode())


def question(stream=False):
    return json.dumps({"model": "m", "stream": stream, "messages": [{"role": "user", "content": f"stream {stream}"}]})


def chat(base, stream=False):
    return ask(base, "POST", "/chat/completions", question(stream), timeout=40 * harness.SLOWER)


# ---- certificates ----


def good_certificates(place, root):
    """title -> (the host that is asked, the certificate it has)"""
    middle = root.sign("an authority between", extensions=OF_AUTHORITY)
    return {
        "a name": ("localhost", root.sign("whoever", ("DNS:localhost",))),
        "a name in capitals": ("LocalHost", root.sign("whoever", ("DNS:LOCALHOST",))),
        "an address with its SAN": ("127.0.0.1", root.sign("whoever", ("IP:127.0.0.1",))),
        "one of many names": ("localhost", root.sign("whoever", ("DNS:a.example", "IP:192.0.2.1", "DNS:localhost"))),
        "an authority between, which is sent": ("localhost", middle.sign("whoever", ("DNS:localhost",))),
    }


UNKNOWN = (("its issuer is not known", "its authority is not known", "signed by itself"), ("SSL_CERT_FILE",))
ANOTHER = (("another host", "names no host"), ("by a name", "another certificate"))


def bad_certificates(place, root):
    """title -> (the host that is asked, the certificate, words for the cause, words for the remedy: one of each is said)"""
    stranger = authority(place, "a stranger")
    middle = root.sign("an authority between", extensions=OF_AUTHORITY)
    name = ("DNS:localhost",)
    client = OF_SERVER + ("extendedKeyUsage=clientAuth",)
    return {
        "an expired one": ("localhost", root.sign("old", name, days=(-40, -10)), ("expired",), ("renew",)),
        "one that is not yet valid": ("localhost", root.sign("new", name, days=(10, 40)), ("not valid before",), ("clock",)),
        "one for another name": ("localhost", root.sign("localhost", ("DNS:other.example",)), *ANOTHER),
        "one for a longer name": ("localhost", root.sign("localhost", ("DNS:localhost.example",)), *ANOTHER),
        "one with the name in CN only": ("localhost", root.sign("localhost"), *ANOTHER),
        "one for a name, asked by address": ("127.0.0.1", root.sign("127.0.0.1", name), *ANOTHER),
        "one with the address as a name": ("127.0.0.1", root.sign("127.0.0.1", ("DNS:127.0.0.1",)), *ANOTHER),
        "one for another address": ("127.0.0.1", root.sign("127.0.0.1", ("IP:127.0.0.2",)), *ANOTHER),
        "one with a NUL in its name": ("localhost", root.sign("localhost", extensions=OF_SERVER + (NUL_NAME,)), *ANOTHER),
        "a self-signed one": ("localhost", Identity(place, "localhost", name), *UNKNOWN),
        "one of an unknown authority": ("localhost", stranger.sign("localhost", name), *UNKNOWN),
        "one whose issuer is not sent": ("localhost", middle.sign("localhost", name, chain=False), *UNKNOWN),
        "one signed by a server": ("localhost", root.sign("localhost", name).sign("localhost", name),
                                   ("may not sign",), ("another certificate",)),
        "one for clients": ("localhost", root.sign("localhost", name, extensions=client), ("not for servers",), ("another certificate",)),
        "one whose issuer has expired": ("localhost", root.sign("between", extensions=OF_AUTHORITY, days=(-40, -10)).sign("localhost", name),
                                         ("expired",), ("renew",)),
    }


def certificates(suite, place, root):
    for title, (host, identity) in good_certificates(place, root).items():
        accepted(suite, f"{title} is good", host, identity.context(), root.trust)
    for title, (host, identity, causes, remedies) in bad_certificates(place, root).items():
        refused(suite, f"{title} is refused", host, identity.context(), root.trust, causes, remedies)


def accepted(suite, title, host, context, trust):
    with Upstream(answer, context) as upstream, suite.hold(f"https://{host}:{upstream.port}", more=trust) as held:
        got = chat(held.urls["openai"])
        done = held.finish()
    suite.one(title, got.status == 200 and b"hello" in got.body, f"{got.status} {got.body[:300]} {done.err[-300:]}")
    return done


def refused(suite, title, host, context, trust, causes, remedies):
    """The client has 502, and both it and the user are told the host, the cause and what to do."""
    with Upstream(answer, context) as upstream, suite.hold(f"https://{host}:{upstream.port}", more=trust) as held:
        got = chat(held.urls["openai"])
        again = chat(held.urls["openai"])
        done = held.finish()
    suite.one(f"{title} with 502", got.status == again.status == 502, f"{got.status} {again.status} {got.body[:200]}")
    suite.one(f"{title} before anything is asked", not upstream.seen, f"{len(upstream.seen)} requests came through")
    told = []
    for where, text in (("the client", got.body.decode(errors="replace")), ("the user", " ".join(done.err.split()))):
        wanted = {"the host": (f"{host}:{upstream.port}",), "the cause": causes, "the remedy": remedies}
        told += [(where, f"is not told {what}: {text[-400:]}") for what, words in wanted.items() if not any(w in text for w in words)]
    suite.check(f"{title}: host, cause and remedy are told", told, 6)
    calls = done.trace().models()
    failed = len(calls) == 2 and all(c["model_call"]["stop_reason"] == "error" for c in calls)
    suite.one(f"{title}: the trace has the failed calls", failed, f"{[c['model_call'] for c in calls]}")


# ---- what is trusted ----


class Opens:
    """Counts how often files are opened, by whomever: in `directory` those in it, else the file itself."""

    IN_OPEN = 0x20

    def __init__(self, path):
        self.libc = ctypes.CDLL(None, use_errno=True)
        self.fd = self.libc.inotify_init1(os.O_NONBLOCK)
        if self.fd < 0 or self.libc.inotify_add_watch(self.fd, os.fsencode(path), self.IN_OPEN) < 0:
            raise OSError(ctypes.get_errno(), "inotify")

    def count(self):
        """Since the last time. A directory that is opened itself is not counted."""
        found = 0
        while True:
            try:
                data = os.read(self.fd, 65536)
            except BlockingIOError:
                return found
            while data:
                _, mask, _, size = struct.unpack_from("iIII", data)
                found += not mask & 0x40000000
                data = data[16 + size:]

    def close(self):
        os.close(self.fd)


def many_at_once(base, count):
    """Streams that are all open at the same time: each has a connection of its own."""
    return [g.status for g in each(lambda n: chat(base, True), range(count), count)]


def roots(suite, place, root, service):
    """Both variables lead to the roots, which are read once and not for each connection."""
    directory = os.path.join(place, "roots")
    os.mkdir(directory)
    with open(root.path, "rb") as f:
        suite.write(directory, "root.pem", f.read())
    openssl("rehash", directory)
    with open("/etc/ssl/certs/ca-certificates.crt", "rb") if os.path.exists("/etc/ssl/certs/ca-certificates.crt") else open(root.path, "rb") as f:
        system = f.read()
    with open(root.path, "rb") as f:
        large = suite.write(place, "many-roots.pem", system + f.read())
    ways = {
        "SSL_CERT_FILE": ({"SSL_CERT_FILE": root.path, "SSL_CERT_DIR": ""}, root.path),
        "SSL_CERT_FILE among many": ({"SSL_CERT_FILE": large, "SSL_CERT_DIR": ""}, large),
        "SSL_CERT_DIR": ({"SSL_CERT_FILE": "", "SSL_CERT_DIR": directory}, directory),
        "SSL_CERT_DIR of several": ({"SSL_CERT_FILE": "", "SSL_CERT_DIR": f"{place}/nothing:{directory}"}, directory),
        "both": ({"SSL_CERT_FILE": root.path, "SSL_CERT_DIR": directory}, root.path),
    }
    for title, (trust, watched) in ways.items():
        waiting = threading.Barrier(200, timeout=60 * harness.SLOWER)

        def together(request):
            yield head(headers=[("Content-Type", "text/event-stream"), ("Transfer-Encoding", "chunked")])
            waiting.wait()
            yield chunk(EVENT) + chunk(b"data: [DONE]\n\n") + b"0\r\n\r\n"

        opens = Opens(watched)
        with Upstream(together, service.context()) as upstream, suite.hold(f"https://localhost:{upstream.port}", more=trust) as held:
            got = many_at_once(held.urls["openai"], 200)
            done = held.finish()
        times = opens.count()
        opens.close()
        suite.one(f"{title} names what is trusted", got == [200] * 200, f"{sorted(set(got))} {done.err[-300:]}")
        suite.one(f"{title}: 200 connections read it once", 1 <= times <= 4, f"it was opened {times} times")
    unreadable_roots(suite, place, service)


def unreadable_roots(suite, place, service):
    missing = os.path.join(place, "no-such-roots.pem")
    garbage = suite.write(place, "garbage.pem", b"these are no roots\n")
    bad = []
    for path in (missing, garbage):
        with Upstream(answer, service.context()) as upstream:
            with suite.hold(f"https://localhost:{upstream.port}", more={"SSL_CERT_FILE": path, "SSL_CERT_DIR": ""}) as held:
                got = chat(held.urls["openai"])
                done = held.finish()
        if got.status != 502 or os.path.basename(path) not in done.err or "SSL_CERT_FILE" not in done.err:
            bad.append((os.path.basename(path), f"{got.status}: {got.body[:200]} {done.err[-300:]}"))
    suite.check("roots that cannot be read are told, with their file and variable", bad, 2)


# ---- peers ----


def versions(suite, service, trust):
    for title, version in VERSIONS.items():
        with Upstream(answer, service.context(version)) as upstream:
            address = f"https://localhost:{upstream.port}"
            with suite.hold(address, more=trust) as held:
                with Client(held.urls["openai"]) as client:
                    got = [client.ask("POST", "/chat/completions", question(s)) for s in (False, True, False)]
                done = held.finish()
        right = all(g.status == 200 and g.whole and b"hello" in g.body for g in got)
        suite.one(f"{title}: it answers through the recorder", right, f"{[(g.status, g.body[:80]) for g in got]} {done.err[-200:]}")
        conns = {id(r.conn) for r in upstream.seen}
        suite.one(f"{title}: three requests have one connection", len(conns) == 1, f"{len(conns)}")
        calls = done.trace().models()
        tokens = [(c["model_call"]["input_tokens"], c["model_call"]["output_tokens"]) for c in calls]
        suite.one(f"{title}: its calls are recorded", tokens == [(31, 17)] * 3, f"{tokens}")
        ends = {c["model_call"]["endpoint"] for c in calls}
        suite.one(f"{title}: with the address they went to", ends == {f"{address}/v1/chat/completions"}, f"{ends}")


def resumed(suite, service, trust):
    """A second connection to a host goes on with the session of the first."""
    for title, version in VERSIONS.items():
        reused = []

        def once(request):
            reused.append(request.conn.session_reused)
            return whole(b'{"id":"x","model":"m","choices":[]}', headers=[("Connection", "close")])

        with Upstream(once, service.context(version)) as upstream:
            with suite.hold(f"https://localhost:{upstream.port}", more=trust) as held:
                got = [chat(held.urls["openai"]).status for _ in range(4)]
                held.finish()
        suite.one(f"{title}: sessions are resumed", got == [200] * 4 and reused == [False, True, True, True], f"{got} {reused}")


def not_tls(suite, service, trust):
    """What is on the port is not TLS, or none that we speak."""
    old = service_of_old(service)
    greetings = {"plain HTTP": b"HTTP/1.1 400 Bad Request\r\n\r\n", "bytes of nothing": b"\0" * 400, "SSH": b"SSH-2.0-OpenSSH_9\r\n"}
    peers = {title: (Upstream(answer, Greeting(text)), ("TLS",)) for title, text in greetings.items()}
    peers["silence and an end"] = (Upstream(answer, Greeting(b"")), ("closed", "TLS"))
    if old:
        peers["TLS 1.1"] = (Upstream(answer, old), ("TLS 1.2", "versions", "version"))
    for title, (upstream, words) in peers.items():
        with upstream, suite.hold(f"https://localhost:{upstream.port}", more=trust) as held:
            got = chat(held.urls["openai"])
            done = held.finish()
        said = all(f"localhost:{upstream.port}" in t and any(w in t for w in words) for t in (got.body.decode(errors="replace"), done.err))
        suite.one(f"{title} on the port is 502, and told", got.status == 502 and said, f"{got.status} {got.body[:300]} {done.err[-300:]}")


class Greeting:
    """Stands for a context: says this instead of a handshake, and ends."""

    def __init__(self, text):
        self.text = text

    def wrap_socket(self, conn, server_side):
        assert server_side
        conn.sendall(self.text)
        conn.shutdown(socket.SHUT_WR)
        conn.settimeout(20 * harness.SLOWER)
        while conn.recv(4096):
            pass
        raise Hangup


def service_of_old(service):
    """A server of TLS 1.1, where this openssl can still be one."""
    try:
        context = service.context()
        context.set_ciphers("ALL:@SECLEVEL=0")
        context.minimum_version, context.maximum_version = ssl.TLSVersion.TLSv1, ssl.TLSVersion.TLSv1_1
        return context
    except (ssl.SSLError, ValueError):
        return None


def say_goodbye(conn):
    try:
        conn.settimeout(2 * harness.SLOWER)
        conn.unwrap()
    except (OSError, ValueError):
        pass


def begin_goodbye(conn):
    """Sends TLS's own end and does not wait for the other side's: the same thread goes on with the connection."""
    try:
        conn.settimeout(0)
        conn.unwrap()
    except (OSError, ValueError):
        pass


# How an answer ends, and whether it is whole then: (framing, how the server goes, whole)
ENDINGS = [
    ("to the end", "notify", True),
    ("to the end", "close", False),  # whoever can cut a connection could shorten it
    ("to the end", "reset", False),
    ("chunked", "notify", True),
    ("chunked", "close", True),
    ("chunked, cut", "notify", False),
    ("chunked, cut", "close", False),
    ("length", "notify", True),
    ("length", "close", True),
    ("length, cut", "notify", False),
    ("length, cut", "close", False),
]


def ending(request):
    asked = json.loads(request.body)
    framing, how = asked["framing"], asked["how"]
    body = EVENT + b"data: [DONE]\n\n" if asked["whole"] else EVENT.replace(b'"stop"', b"null")
    kind = [("Content-Type", "text/event-stream"), ("Connection", "close")]
    if framing == "to the end":
        yield head(headers=kind) + body
    elif framing.startswith("chunked"):
        yield head(headers=[*kind, ("Transfer-Encoding", "chunked")]) + chunk(body)
        yield b"" if framing.endswith("cut") else b"0\r\n\r\n"
    else:
        yield head(headers=[*kind, ("Content-Length", len(body) + 10 * framing.endswith("cut"))]) + body
    if how == "notify":
        say_goodbye(request.conn)
    elif how == "reset":
        request.conn.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
    raise Hangup


def endings(suite, service, trust):
    """An answer whose end is the connection's is whole only when the service said so."""
    for title, version in VERSIONS.items():
        bad = []
        with Upstream(ending, service.context(version)) as upstream, suite.hold(f"https://localhost:{upstream.port}", more=trust) as held:
            for framing, how, want in ENDINGS:
                body = json.dumps({"model": "m", "stream": True, "framing": framing, "how": how, "whole": want,
                                   "messages": [{"role": "user", "content": f"{framing} {how}"}]})
                got = ask(held.urls["openai"], "POST", "/chat/completions", body, timeout=20 * harness.SLOWER)
                if got.status != 200 or got.whole != want or (how != "reset" and b"hello" not in got.body):
                    bad.append((f"{framing}, {how}", f"status {got.status}, whole {got.whole}: {got.body[:200]}"))
            done = held.finish()
        suite.check(f"{title}: an answer is whole when it ended, else cut", bad, len(ENDINGS))
        calls = [c["model_call"] for c in done.trace().models()]
        partial = [bool(c.get("partial")) for c in calls]
        suite.one(f"{title}: and so it is in the trace", partial == [not want for *_, want in ENDINGS], f"{partial}")


def half_closed(suite, service, trust):
    """Services that say they will send no more: before an answer, and between two of them."""
    gone = threading.Event()  # the recorder has closed its side

    def half(request):
        how = json.loads(request.body)["how"]
        if how.startswith("after"):
            yield answer(request)
        if how.endswith("notify"):
            begin_goodbye(request.conn)
        else:
            socket.socket.shutdown(request.conn, socket.SHUT_WR)
        request.conn.settimeout(5 * harness.SLOWER)
        try:
            while socket.socket.recv(request.conn, 4096):  # the bytes below TLS: only their end is of interest
                pass
        except (OSError, ValueError):
            pass
        gone.set()
        raise Hangup

    ways = ["before, notify", "before, end", "after, notify", "after, end"]
    for title, version in VERSIONS.items():
        bad = []
        with Upstream(half, service.context(version)) as upstream, suite.hold(f"https://localhost:{upstream.port}", more=trust) as held:
            for way in ways:
                body = json.dumps({"model": "m", "how": way, "messages": [{"role": "user", "content": way}]})
                want = 502 if way.startswith("before") else 200
                got = []
                for _ in range(2):
                    gone.clear()
                    got.append(ask(held.urls["openai"], "POST", "/chat/completions", body, timeout=20 * harness.SLOWER).status)
                    if not gone.wait(10 * harness.SLOWER):
                        bad.append((way, "the recorder keeps the connection"))
                if got != [want, want]:
                    bad.append((way, f"{got} and not twice {want}"))
            done = held.finish()
        suite.check(f"{title}: half-closed services break nothing", bad, len(ways))
        suite.one(f"{title}: half-closed services: the child's exit status comes back", done.status == 0, f"{done.status} {done.err[-300:]}")


class Speaker:
    """`openssl s_server`, told by lines: it can do what Python's ssl cannot."""

    def __init__(self, identity, *options):
        held = socket.create_server(("127.0.0.1", 0))
        self.port = held.getsockname()[1]
        held.close()
        words = ["openssl", "s_server", "-accept", f"127.0.0.1:{self.port}", "-cert", identity.path, "-key", identity.key, *options]
        self.process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        self.wait_for(b"ACCEPT")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.communicate()

    def wait_for(self, word):
        got = b""
        while word not in got:
            piece = os.read(self.process.stdout.fileno(), 4096)
            if not piece:
                raise harness.Broken(f"s_server ended before {word}: {got[-300:]}")
            got += piece

    def say(self, text):
        self.process.stdin.write(text)
        self.process.stdin.flush()


def renewed(suite, service, trust):
    """Keys that the service renews in the middle of an answer. Renegotiation may be refused; it never hangs."""
    body = json.dumps({"id": "r", "model": "m", "choices": []}).encode()
    first, rest = whole(body).split(b"{", 1)
    ways = {"TLS 1.2, renegotiation": ("-tls1_2", b"r\n", (200, 502)), "TLS 1.2, renegotiation and the certificate": ("-tls1_2", b"R\n", (200, 502)),
            "TLS 1.3, new keys": ("-tls1_3", b"k\n", (200,)), "TLS 1.3, new keys on both sides": ("-tls1_3", b"K\n", (200,))}
    for title, (version, order, allowed) in ways.items():
        with Speaker(service, version) as server, suite.hold(f"https://localhost:{server.port}", more=trust) as held:
            result = []
            client = threading.Thread(target=lambda: result.append(chat(held.urls["openai"])))
            client.start()
            server.wait_for(b"stream False")
            server.say(order)
            for piece in (first, b"{" + rest):
                threading.Event().wait(0.2 * harness.SLOWER)  # each order or text is one read of its own
                server.say(piece)
            client.join(60 * harness.SLOWER)
            done = held.finish()
        got = result[0] if result else None
        right = got is not None and got.status in allowed and (got.status != 200 or not got.whole or got.body == body)
        suite.one(f"{title}: passes or is refused", right, f"{got and (got.status, got.body[:200])} {done.err[-300:]}")
        suite.one(f"{title}: the recorder lives on", done.status == 0, f"{done.status} {done.err[-300:]}")


def scenes_of_others(suite, place):
    """What other sets do with plain services."""
    suite.secure = Service(place)
    try:
        faults.services(suite)
        canary.hidden(suite)
        kills.run(suite, max(4, kills.TIMES // 4))
    finally:
        suite.secure = None


def run(suite):
    place = suite.directory("certificates")
    try:
        root = authority(place)
        service = root.sign("localhost", HERE)
    except CannotMake as e:
        suite.skip("tls", f"openssl cannot make certificates: {e}")
        return
    certificates(suite, place, root)
    roots(suite, place, root, service)
    versions(suite, service, root.trust)
    resumed(suite, service, root.trust)
    not_tls(suite, service, root.trust)
    endings(suite, service, root.trust)
    half_closed(suite, service, root.trust)
    renewed(suite, service, root.trust)
    tls_cuts.run(suite, service, root.trust)
    tls_proxies.run(suite, root)
    scenes_of_others(suite, place)
