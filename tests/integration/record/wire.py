"""Both ends of the wire: a server that answers whatever a test wants, byte for byte, and a client that notices when an
answer is cut."""

import http.client
import io
import socket
import threading
import urllib.parse


class Request:
    """What reached the server. raw is the head as it came; conn is the connection, for tests that misbehave on it."""

    def __init__(self, method, target, headers, body, raw, conn):
        self.method, self.target, self.headers, self.body = method, target, headers, body
        self.raw, self.conn = raw, conn

    def header(self, name):
        return next((v for k, v in self.headers if k.lower() == name.lower()), None)


class Hangup(Exception):
    """Raised by an answer that wants the connection closed at once."""


class Upstream:
    """
    A server on a free loopback port. answer(request) gives the bytes of a whole answer, or pieces of it one after the
    other (a generator), each sent when it comes. Every request that was complete is in `seen`.
    """

    def __init__(self, answer, context=None):
        self.answer, self.context = answer, context
        self.seen = []
        self.lock = threading.Lock()
        self.listener = socket.create_server(("127.0.0.1", 0), backlog=1024)
        self.port = self.listener.getsockname()[1]
        self.url = f"{'https' if context else 'http'}://127.0.0.1:{self.port}"
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
        try:
            conn.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            if self.context:
                conn = self.context.wrap_socket(conn, server_side=True)
            with conn, conn.makefile("rb") as stream:
                while self.serve_one(conn, stream):
                    pass
        except (OSError, ValueError, Hangup):
            conn.close()

    def serve_one(self, conn, stream):
        request = read_request(conn, stream)
        if request is None:
            return False
        with self.lock:
            self.seen.append(request)
        given = self.answer(request)
        for piece in [given] if isinstance(given, bytes) else given:
            conn.sendall(piece)
        return True


def read_request(conn, stream):
    head = b""
    while not head.endswith(b"\r\n\r\n"):
        line = stream.readline()
        if not line:
            return None
        head += line
    first, *rest = head.decode("latin-1").split("\r\n")[:-2]
    method, target, _ = first.split(" ", 2)
    headers = [(k, v.strip()) for k, _, v in (line.partition(":") for line in rest)]
    fields = {k.lower(): v for k, v in headers}
    if "chunked" in fields.get("transfer-encoding", "").lower():
        body = read_chunks(stream)
    else:
        size = int(fields.get("content-length", "0"))
        body = stream.read(size)
        if len(body) < size:
            return None
    return None if body is None else Request(method, target, headers, body, head, conn)


def read_chunks(stream):
    pieces = []
    while True:
        line = stream.readline()
        if not line:
            return None
        size = int(line.split(b";")[0], 16)
        if size == 0:
            while stream.readline() not in (b"\r\n", b""):
                pass
            return b"".join(pieces)
        data = stream.read(size + 2)
        if len(data) < size + 2:
            return None
        pieces.append(data[:-2])


# ---- answers ----


def head(status=200, headers=(), reason="Whatever"):
    lines = "".join(f"{k}: {v}\r\n" for k, v in headers)
    return f"HTTP/1.1 {status} {reason}\r\n{lines}\r\n".encode("latin-1")


def whole(body, status=200, kind="application/json", headers=()):
    return head(status, [("Content-Type", kind), ("Content-Length", len(body)), *headers]) + body


def chunk(data):
    return b"%x\r\n%b\r\n" % (len(data), data)


def chunked(pieces, status=200, kind="text/event-stream", headers=()):
    """An answer in pieces, each a chunk of its own and sent by itself."""
    yield head(status, [("Content-Type", kind), ("Transfer-Encoding", "chunked"), *headers])
    for piece in pieces:
        if piece:
            yield chunk(piece)
    yield b"0\r\n\r\n"


def cut(data, size):
    return [data[i : i + size] for i in range(0, len(data), size)]


# ---- the client's end ----


class Answer:
    """status 0: the connection ended before an answer. whole: it was complete."""

    def __init__(self, status, headers, body, complete):
        self.status, self.headers, self.body, self.whole = status, headers, body, complete

    def header(self, name):
        return next((v for k, v in self.headers if k.lower() == name.lower()), None)


class Client:
    """A connection that is kept, to a base address with a path."""

    def __init__(self, base, timeout=30):
        parts = urllib.parse.urlsplit(base)
        self.prefix = parts.path
        self.http = http.client.HTTPConnection(parts.hostname, parts.port, timeout=timeout)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.http.close()

    def ask(self, method, path, body=None, headers=None):
        try:
            self.http.request(method, self.prefix + path, body, headers or {})
            got = self.http.getresponse()
        except (OSError, http.client.HTTPException):
            self.http.close()
            return Answer(0, [], b"", False)
        try:
            return Answer(got.status, got.getheaders(), got.read(), True)
        except http.client.IncompleteRead as e:
            self.http.close()
            return Answer(got.status, got.getheaders(), e.partial, False)
        except (OSError, http.client.HTTPException):
            self.http.close()
            return Answer(got.status, got.getheaders(), b"", False)


def ask(base, method, path, body=None, headers=None, timeout=30):
    with Client(base, timeout) as client:
        return client.ask(method, path, body, headers)


def connect(base, timeout=30):
    parts = urllib.parse.urlsplit(base)
    conn = socket.create_connection((parts.hostname, parts.port), timeout)
    conn.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return conn


def receive(conn, quiet):
    """(bytes, closed): what comes until the other side closes or nothing has come for `quiet` seconds."""
    got = b""
    conn.settimeout(quiet)
    while True:
        try:
            data = conn.recv(65536)
        except TimeoutError:
            return got, False
        except OSError:
            return got, True
        if not data:
            return got, True
        got += data


class Canned(io.BytesIO):
    """Bytes that http.client can read an answer from."""

    def makefile(self, *_, **__):
        return self


def answers(data, methods):
    """The answers in these bytes, to requests of these methods; what is left over or broken is an Answer with status 0."""
    source = Canned(data)
    found = []
    while source.tell() < len(data):
        response = http.client.HTTPResponse(source, method=methods[len(found)] if len(found) < len(methods) else "GET")
        response.fp.close = lambda: None
        try:
            response.begin()
            found.append(Answer(response.status, response.getheaders(), response.read(), True))
        except (http.client.HTTPException, ValueError):
            found.append(Answer(0, [], b"", False))
            break
    return found
