"""WebSockets as a test wants them: fragments, every agreement on packing, control frames; and both handshakes."""

import base64
import os
import struct
import time
import zlib

from frames import accept_of, masked
from wire import connect, head

TEXT, BINARY, CLOSE, PING, PONG = 1, 2, 8, 9, 10
OFFER = "permessage-deflate; client_max_window_bits"


class Gone(Exception):
    """The other side closed the connection."""


def frame(data, kind=TEXT, fin=True, packed=False, mask=None):
    n = len(data)
    first = (0x80 if fin else 0) | (0x40 if packed else 0) | kind
    size = bytes([n]) if n < 126 else b"\x7e" + struct.pack(">H", n) if n < 65536 else b"\x7f" + struct.pack(">Q", n)
    out = bytes([first, size[0] | (0x80 if mask else 0)]) + size[1:]
    return out + (mask or b"") + masked(data, mask)


class Socket:
    """An open WebSocket. extensions: what was agreed on, as the answer's header has it. buffer: bytes read ahead."""

    def __init__(self, conn, client, extensions="", buffer=b""):
        self.conn, self.client, self.buffer = conn, client, buffer
        self.packs = "permessage-deflate" in (extensions or "")
        side, other = ("client", "server") if client else ("server", "client")
        self.alone = f"{side}_no_context_takeover" in (extensions or "")
        self.other_alone = f"{other}_no_context_takeover" in (extensions or "")
        self.deflate = zlib.compressobj(wbits=-15)
        self.inflate = zlib.decompressobj(wbits=-15)
        self.parts, self.kind, self.packed = [], None, False  # of the message at hand

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.conn.close()

    # ---- sending ----

    def encode(self, data, kind=TEXT, pieces=1, between=b""):
        """A message in so many fragments, with bytes between them."""
        data = data.encode() if isinstance(data, str) else data
        packed = self.packs and kind in (TEXT, BINARY) and data != b""
        if packed:
            data = (self.deflate.compress(data) + self.deflate.flush(zlib.Z_SYNC_FLUSH))[:-4]
            if self.alone:
                self.deflate = zlib.compressobj(wbits=-15)
        size = max(1, -(-len(data) // pieces))
        parts = [data[i : i + size] for i in range(0, len(data), size)] or [b""]
        out = []
        for n, part in enumerate(parts):
            mask = os.urandom(4) if self.client else None
            out.append(frame(part, kind if n == 0 else 0, n == len(parts) - 1, packed and n == 0, mask))
        return between.join(out)

    def send(self, data, kind=TEXT, pieces=1, between=b""):
        self.conn.sendall(self.encode(data, kind, pieces, between))

    def send_slowly(self, data, pause):
        """One frame, a MiB at a time: whoever looks on needs time for it."""
        bytes_ = self.encode(data, TEXT, 1, b"")
        for at in range(0, len(bytes_), 1 << 20):
            self.conn.sendall(bytes_[at:at + (1 << 20)])
            time.sleep(pause)

    def close(self, code=1000, reason=""):
        self.send(struct.pack(">H", code) + reason.encode(), CLOSE)

    # ---- receiving ----

    def take(self, n):
        pieces, have = [self.buffer], len(self.buffer)
        while have < n:
            pieces.append(self.conn.recv(1 << 20))
            if not pieces[-1]:
                raise Gone
            have += len(pieces[-1])
        got = b"".join(pieces)
        self.buffer = got[n:]
        return got[:n]

    def receive_frame(self):
        first, second = self.take(2)
        n = second & 127
        if n > 125:
            n = struct.unpack(">H", self.take(2))[0] if n == 126 else struct.unpack(">Q", self.take(8))[0]
        mask = self.take(4) if second & 128 else b""
        return first, masked(self.take(n), mask)

    def receive(self):
        """(kind, bytes) of the next message or control frame, which may stand between the fragments of a message."""
        while True:
            first, data = self.receive_frame()
            if first & 8:
                return first & 15, data
            if not self.parts:
                self.kind, self.packed = first & 15, bool(first & 0x40)
            self.parts.append(data)
            if first & 128:
                break
        data, self.parts = b"".join(self.parts), []
        if self.packed:
            data = self.inflate.decompress(data + b"\0\0\xff\xff")
            if self.other_alone:
                self.inflate = zlib.decompressobj(wbits=-15)
        return self.kind, data

    def text(self):
        """The next message, with pings answered; Gone when it is a close."""
        while True:
            kind, data = self.receive()
            if kind in (TEXT, BINARY):
                return data.decode()
            if kind == CLOSE:
                raise Gone
            if kind == PING:
                self.send(data, PONG)


class Refused(Exception):
    def __init__(self, status, rest):
        super().__init__(status)
        self.status, self.rest = status, rest


def dial(base, path="/responses", headers=(), offer=OFFER, timeout=30, key=None, conn=None):
    """A socket at a base address with a path; Refused when the answer is not 101."""
    conn = conn or connect(base, timeout)
    key = key or base64.b64encode(os.urandom(16)).decode()
    host, _, prefix = base.split("://", 1)[1].partition("/")
    lines = [("Host", host), ("Connection", "Upgrade"), ("Upgrade", "websocket"), ("Sec-WebSocket-Version", "13"),
             ("Sec-WebSocket-Key", key), *headers, *([("Sec-WebSocket-Extensions", offer)] if offer else [])]
    text = f"GET /{prefix}{path} HTTP/1.1\r\n" + "".join(f"{k}: {v}\r\n" for k, v in lines) + "\r\n"
    conn.sendall(text.encode())
    got = b""
    while b"\r\n\r\n" not in got:
        data = conn.recv(65536)
        if not data:
            raise Refused(0, got)
        got += data
    first, rest = got.split(b"\r\n\r\n", 1)
    fields = {k.lower(): v.strip() for k, _, v in (line.partition(":") for line in first.decode().split("\r\n")[1:])}
    status = int(first.split()[1])
    if status != 101:
        size = int(fields.get("content-length", 0))
        while len(rest) < size:
            rest += conn.recv(65536)
        conn.close()
        raise Refused(status, rest)
    if fields.get("sec-websocket-accept") != accept_of(key):
        raise Refused(101, b"a wrong Sec-WebSocket-Accept: " + first)
    return Socket(conn, True, fields.get("sec-websocket-extensions"), rest)


def opened(request, extensions="permessage-deflate"):
    """The server's end, after its answer to a request."""
    agreed = [("Sec-WebSocket-Extensions", extensions)] if extensions and request.header("sec-websocket-extensions") else []
    request.conn.sendall(head(101, [("Upgrade", "websocket"), ("Connection", "Upgrade"),
                                    ("Sec-WebSocket-Accept", accept_of(request.header("sec-websocket-key") or "")), *agreed]))
    return Socket(request.conn, False, extensions if agreed else "")
