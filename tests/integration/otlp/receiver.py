"""A receiver of OTLP that answers as it was told to, one answer after the other."""

import gzip
import socket
import struct
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class Request:
    def __init__(self, handler, body):
        self.at = time.monotonic()
        self.path = handler.path
        self.headers = {k.lower(): v for k, v in handler.headers.items()}
        self.body = gzip.decompress(body) if self.headers.get("content-encoding") == "gzip" else body


def answer(status, body=b"", media="application/json", **headers):
    """An answer with a body; a name's underscores are hyphens."""

    def give(handler):
        handler.send_response(status)
        if media:
            handler.send_header("Content-Type", media)
        for name, text in headers.items():
            handler.send_header(name.replace("_", "-"), text() if callable(text) else text)
        handler.send_header("Content-Length", str(len(body)))
        handler.end_headers()
        handler.wfile.write(body)

    return give


def reset(handler):
    """The connection is cut without an answer."""
    handler.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    handler.close_connection = True
    handler.connection.close()


def hang(handler):
    """No answer, until the receiver ends."""
    handler.server.ended.wait(60)
    handler.close_connection = True


def slow(handler):
    """An answer that comes in pieces."""
    for piece in (b"HTTP/1.1 200 OK\r\nContent-", b"Type: application/x-protobuf\r\nContent-Le", b"ngth: 0\r\n\r\n"):
        handler.wfile.write(piece)
        handler.wfile.flush()
        time.sleep(0.1)


def endless(handler):
    """More than any client should read."""
    handler.send_response(400)
    handler.send_header("Content-Type", "application/json")
    handler.end_headers()
    handler.close_connection = True
    try:
        for _ in range(10000):
            handler.wfile.write(b" " * 65536)
    except OSError:
        handler.server.cut = True


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        with self.server.lock:
            self.server.requests.append(Request(self, body))
            answers = self.server.answers
            give = answers.pop(0) if len(answers) > 1 else answers[0]  # the last one is given from then on
        give(self)

    def log_message(self, *_):
        pass

    def finish(self):
        try:
            super().finish()
        except OSError:
            pass


class Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, *_):
        pass


class Receiver:
    def __init__(self, *answers):
        self.server = Server(("127.0.0.1", 0), Handler)
        self.server.answers, self.server.requests, self.server.cut = list(answers), [], False
        self.server.lock, self.server.ended = threading.Lock(), threading.Event()
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        self.thread = threading.Thread(target=self.server.serve_forever, daemon=True)

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.server.ended.set()
        self.server.shutdown()
        self.server.server_close()

    @property
    def requests(self):
        return self.server.requests
