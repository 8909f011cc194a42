"""Records cut at every byte, and changed at every byte: of an answer, and of a handshake. What passes is an answer that is
whole and right, or one that is seen to be cut; nobody waits for the rest."""

import json
import socket
import ssl
import threading

import harness
from recording import each
from wire import ask, chunk, head

VERSIONS = {"TLS 1.2": ssl.TLSVersion.TLSv1_2, "TLS 1.3": ssl.TLSVersion.TLSv1_3}
BODY = b'data: {"id":"c","model":"m","choices":[]}\n\ndata: [DONE]\n\n'
KIND = ("Content-Type", "text/event-stream")

# Each piece is a record of its own.
ANSWERS = {
    "chunked": [head(headers=[KIND, ("Transfer-Encoding", "chunked")]), chunk(BODY[:20]), chunk(BODY[20:]), b"0\r\n\r\n"],
    "with its length": [head(headers=[KIND, ("Content-Length", len(BODY))]), BODY[:30], BODY[30:]],
    "until the end": [head(headers=[KIND, ("Connection", "close")]), BODY],
}


class Torn:
    """
    A service that answers as a request wants: "framing" of ANSWERS, "cut" the number of bytes of the sealed answer that it
    sends, "flip" the place of one that it changes. handshake() gives for each connection None, or a function that is told
    what would be sent in its handshake, and where that begins: (what is sent, whether it goes on).
    """

    def __init__(self, make_context, handshake=None):
        self.make_context, self.handshake = make_context, handshake
        self.sizes = {}
        self.shaken = 0  # bytes of the last complete handshake
        self.listener = socket.create_server(("127.0.0.1", 0), backlog=1024)
        self.port = self.listener.getsockname()[1]
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
        with conn:
            try:
                conn.settimeout(30 * harness.SLOWER)
                Exchange(self, conn).run()
            except (OSError, ValueError):
                pass


class Exchange:
    def __init__(self, server, conn):
        self.server, self.conn = server, conn
        self.incoming, self.outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
        self.tls = server.make_context().wrap_bio(self.incoming, self.outgoing, server_side=True)
        self.tear = server.handshake() if server.handshake else None
        self.sent = 0

    def flush(self):
        """False: the handshake ends here."""
        data = self.outgoing.read()
        begin, self.sent = self.sent, self.sent + len(data)
        if self.tear is None:
            self.conn.sendall(data)
            return True
        data, goes_on = self.tear(begin, data)
        self.conn.sendall(data)
        if not goes_on:
            self.conn.shutdown(socket.SHUT_WR)  # a changed length makes the other side wait for more
        return goes_on

    def step(self, what):
        """what() when enough has come for it; None when the handshake was torn, or the other side went."""
        while True:
            try:
                result = what()
                return result if self.flush() else None
            except ssl.SSLWantReadError:
                if not self.flush():
                    return None
                data = self.conn.recv(65536)
                if not data:
                    return None
                self.incoming.write(data)

    def run(self):
        if self.step(lambda: self.tls.do_handshake() or True) is None:
            return
        self.server.shaken = self.sent
        text = b""
        while not (b"\r\n\r\n" in text and text.endswith(b"}")):
            piece = self.step(lambda: self.tls.read(65536))
            if not piece:
                return
            text += piece
        asked = json.loads(text.partition(b"\r\n\r\n")[2])
        for piece in ANSWERS[asked["framing"]]:
            self.tls.write(piece)
        try:
            self.tls.unwrap()
        except ssl.SSLError:
            pass  # ours is written; nobody waits for theirs
        sealed = bytearray(self.outgoing.read())
        self.server.sizes[asked["framing"]] = len(sealed)
        if asked.get("flip") is not None:
            sealed[asked["flip"]] ^= 0x10
        self.conn.sendall(sealed[: asked.get("cut", len(sealed))])


def request(held, **asked):
    body = json.dumps({"model": "m", "stream": True, "messages": [{"role": "user", "content": json.dumps(asked)}], **asked})
    return ask(held.urls["openai"], "POST", "/chat/completions", body, timeout=30 * harness.SLOWER)


def wrong(got):
    """What is wrong with an answer that may be cut or whole; None: nothing."""
    if got.status == 502:
        return None
    if got.status != 200:
        return f"status {got.status}"
    if got.whole and got.body != BODY:
        return f"whole, but it is {got.body!r}"
    return None if BODY.startswith(got.body) else f"passed {got.body!r}"


def answers(suite, title, context, trust):
    with Torn(lambda: context) as server, suite.hold(f"https://localhost:{server.port}", more=trust) as held:
        right = {framing: request(held, framing=framing) for framing in ANSWERS}
        bad = [(f, f"{g.status} {g.whole} {g.body!r}") for f, g in right.items() if not (g.whole and g.body == BODY)]
        suite.check(f"{title}: whole answers are whole", bad, len(ANSWERS))
        count = len(ANSWERS)
        for framing in ANSWERS:
            for what in ("cut", "flip"):
                places = range(server.sizes.get(framing, 0))
                got = each(lambda n: request(held, framing=framing, **{what: n}), places, 4)
                count += len(places)
                bad = [(f"byte {n}", wrong(g)) for n, g in zip(places, got) if wrong(g)]
                suite.check(f"{title}: an answer {framing}, {what} at every byte, is never wrong", bad, len(places))
                early = [(f"byte {n}", "whole") for n, g in zip(places, got) if g.whole and g.status == 200 and n < 100]
                suite.check(f"{title}: nor whole before its end", early, len(places))
        done = held.finish()
    suite.one(f"{title}: the recorder outlives it", done.status == 0, f"{done.status} {done.err[-300:]}")
    suite.check(f"{title}: the trace is without a finding", [("trace", f) for f in suite.strict(done.where)], 1)
    calls = done.trace().models()
    suite.one(f"{title}: the trace has every call", len(calls) == count, f"{len(calls)} of {count}")


class Plan:
    """The handshake of each connection is torn one byte later than that of the one before; flip: changed there first."""

    def __init__(self, flip):
        self.flip, self.place, self.lock = flip, None, threading.Lock()

    def __call__(self):
        with self.lock:
            if self.place is None:
                return None
            place, self.place = self.place, self.place + 1

        def tear(begin, data):
            at = place - begin
            if at < 0 or at >= len(data):
                return data, True
            return data[:at] + (bytes([data[at] ^ 0x10]) + data[at + 1:] if self.flip else b""), False

        return tear


SLACK = 16  # signatures are not all of one length, and four requests are under way at once


def handshakes(suite, title, make_context, trust, flip):
    """A context that is made for each connection knows no session of an earlier one."""
    how = "changed" if flip else "cut"
    plan = Plan(flip)
    with Torn(make_context, plan) as server, suite.hold(f"https://localhost:{server.port}", more=trust) as held:
        for _ in range(2):
            request(held, framing="until the end")  # how long it is; a second one may resume the session of the first
        plan.place = 0
        size = server.shaken
        got = each(lambda _: request(held, framing="until the end"), range(size - SLACK), 4)
        plan.place = None
        after = request(held, framing="until the end")
        done = held.finish()
    bad = [(f"about byte {n}", f"status {g.status}") for n, g in enumerate(got) if g.status != 502]
    suite.check(f"{title}: a handshake {how} at every byte fails", bad, size - SLACK)
    right = size > 100 and after.whole and after.body == BODY
    suite.one(f"{title}: and the next one does not", right, f"{size} bytes, then {after.status} {after.body[:200]} {done.err[-300:]}")


def run(suite, service, trust):
    for title, version in VERSIONS.items():
        context = service.context(version)
        answers(suite, title, context, trust)
        for flip in (False, True):
            handshakes(suite, title, lambda: service.context(version), trust, flip)
            handshakes(suite, f"{title}, resumed", lambda: context, trust, flip)
