"""WebSocket (RFC 6455) as far as tees need it, both ends: whole messages of text, plain or deflated (RFC 7692)."""

import base64
import hashlib
import os
import struct
import zlib

GUID = b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
TEXT, CLOSE, PING = 1, 8, 9
DEFLATED = 0x40
EMPTY = b"\x00\x00\xff\xff"  # what ends a deflated message, and is left out on the wire


class Closed(Exception):
    """The other side is gone, or said goodbye."""


def accept_of(key):
    return base64.b64encode(hashlib.sha1(key.encode() + GUID).digest()).decode()


class Talk:
    """A connection after its handshake. The client's end masks what it sends; deflated: the extension was agreed on."""

    def __init__(self, conn, client, deflated):
        self.conn, self.client = conn, client
        self.packer = zlib.compressobj(wbits=-15) if deflated else None
        self.unpacker = zlib.decompressobj(wbits=-15) if deflated else None

    def frame(self, code, data, bits=0):
        mask = os.urandom(4) if self.client else b""
        size, most = len(data), 0x80 if self.client else 0
        head = bytes([0x80 | bits | code])
        if size < 126:
            head += bytes([most | size])
        elif size < 1 << 16:
            head += bytes([most | 126]) + struct.pack(">H", size)
        else:
            head += bytes([most | 127]) + struct.pack(">Q", size)
        self.conn.sendall(head + mask + masked(data, mask))

    def send(self, text):
        data = text.encode()
        if self.packer:
            data = self.packer.compress(data) + self.packer.flush(zlib.Z_SYNC_FLUSH)
            self.frame(TEXT, data[: -len(EMPTY)], DEFLATED)
        else:
            self.frame(TEXT, data)

    def close(self):
        self.frame(CLOSE, struct.pack(">H", 1000))

    def exactly(self, count):
        got = b""
        while len(got) < count:
            piece = self.conn.recv(count - len(got))
            if not piece:
                raise Closed("the connection ended inside a frame" if got else "the connection ended")
            got += piece
        return got

    def one(self):
        """(first byte, payload) of the next frame."""
        first, second = self.exactly(2)
        size = second & 0x7F
        if size == 126:
            size = struct.unpack(">H", self.exactly(2))[0]
        elif size == 127:
            size = struct.unpack(">Q", self.exactly(8))[0]
        mask = self.exactly(4) if second & 0x80 else b""
        return first, masked(self.exactly(size), mask)

    def receive(self):
        """The next message; control frames on the way are taken as they come."""
        whole, deflated = b"", False
        while True:
            first, data = self.one()
            code = first & 15
            if code == CLOSE:
                raise Closed("the other side said goodbye")
            if code >= CLOSE:
                continue
            deflated = deflated or bool(first & DEFLATED)
            whole += data
            if first & 0x80:
                break
        if deflated:
            whole = self.unpacker.decompress(whole + EMPTY)
        return whole.decode()


def masked(data, mask):
    if not mask:
        return data
    wide = mask * (len(data) // 4 + 1)
    return (int.from_bytes(data, "big") ^ int.from_bytes(wide[: len(data)], "big")).to_bytes(len(data), "big")
