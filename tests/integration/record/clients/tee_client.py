"""
Sends the requests of a tee again, to the addresses of the environment, in the recorded order and with the recorded overlap,
and compares what comes back. usage: tee_client.py TEE. Prints what was wrong, a JSON list; exits 0 when it could send all.
"""

import http.client
import json
import os
import re
import socket
import sys
import threading
import urllib.parse

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import frames
import tee

SECONDS = 60

# The first row that fits, by the host or the end of the path: the variable that leads a client of it.
LED_BY = (
    ("GROQ_BASE_URL", r"groq\.com", None),
    ("CO_API_URL", r"cohere\.(ai|com)", r"/v[12]/chat$"),
    ("MISTRAL_API_BASE", r"mistral\.ai", None),
    ("ANTHROPIC_BASE_URL", r"anthropic\.com", r"/messages(/count_tokens)?$"),
    ("GOOGLE_GEMINI_BASE_URL", r"googleapis\.com", r"/models/[^/:]+:\w+$"),
    ("OLLAMA_HOST", None, r"/api/(chat|generate|embed|embeddings|tags|show|version)$"),
    ("OPENAI_BASE_URL", r"openai\.com", r"/(chat/completions|responses|completions|embeddings)$"),
)


def variable_of(e):
    for name, host, end in LED_BY:
        if (host and re.search(host, e.header("host"))) or (end and re.search(end, e.path.split("?")[0])):
            return name
    return None


class Client:
    def __init__(self, entries):
        self.entries = entries
        self.begun, self.ended = set(), set()
        self.turn = threading.Condition()
        self.bad = []
        known = [v for v in map(variable_of, entries) if v]
        self.usual = max(set(known), key=known.count)

    def complain(self, e, what):
        with self.turn:
            self.bad.append(f"{self.entries.index(e) + 1} {e.method} {e.path}: {what}")

    def wait(self, e):
        """Until all that was over before it is over, and all that began before it has begun."""
        before = [x for x in self.entries if x is not e]
        with self.turn:
            if not self.turn.wait_for(lambda: all(x in self.ended for x in before if x.te <= e.t)
                                      and all(x in self.begun for x in before if x.t < e.t), SECONDS):
                raise TimeoutError("what comes before it did not end")

    def note(self, done, e):
        with self.turn:
            done.add(e)
            self.turn.notify_all()

    def address(self, e):
        """(connection's address, target): a base that ends with the version of the path has it already."""
        base = urllib.parse.urlsplit(os.environ[variable_of(e) or self.usual])
        path, version = e.path, base.path.rstrip("/").rpartition("/")[2]
        if re.fullmatch(r"v\d\w*", version):
            path = path.removeprefix(f"/{version}")
        return (base.hostname, base.port), base.path.rstrip("/") + path

    # ---- plain HTTP ----

    def exchange(self, e):
        address, target = self.address(e)
        body = e.body()
        conn = http.client.HTTPConnection(*address, timeout=SECONDS)
        try:
            self.wait(e)
            conn.putrequest(e.method, target, skip_host=True, skip_accept_encoding=True)
            conn.putheader("Host", f"{address[0]}:{address[1]}")
            for name, value in e.headers:
                if name.lower() not in tee.HOP or (name.lower() in ("upgrade", "connection") and e.header("upgrade")):
                    conn.putheader(name, value.encode())
            if body or e.method == "POST":
                conn.putheader("Content-Length", str(len(body)))
            conn.endheaders(body)
            self.note(self.begun, e)
            got = conn.getresponse()
            self.compare(e, got, got.read())
        except (OSError, http.client.HTTPException) as why:
            self.complain(e, f"no answer: {why!r}")
        finally:
            conn.close()
            self.note(self.begun, e)
            self.note(self.ended, e)

    def compare(self, e, got, body):
        if got.status != e.status:
            self.complain(e, f"status {got.status} and not {e.status}")
        if body != (b"" if e.method == "HEAD" else e.answer()):
            self.complain(e, f"{len(body)} other bytes than the {len(e.answer())} that were recorded")
        for name, value in e.rheaders:
            if name.lower() not in tee.HOP and got.getheader(name) != value:
                self.complain(e, f"{name} is {got.getheader(name)!r} and not {value!r}")

    # ---- WebSocket ----

    def socket(self, opening):
        messages = [e for e in self.entries if e.socket is opening]
        try:
            self.wait(opening)
            talk = self.handshake(opening)
            self.note(self.ended, opening)
            for e in messages:
                self.wait(e)
                talk.send(e.text)
                self.note(self.begun, e)
                for i, expected in enumerate(e.messages()):
                    if talk.receive() != expected:
                        self.complain(e, f"message {i + 1} of the answer is another")
                self.note(self.ended, e)
            talk.close()
            talk.conn.close()
        except (OSError, frames.Closed) as why:
            self.complain(opening, f"the WebSocket broke: {why!r}")
        finally:
            for e in (opening, *messages):
                self.note(self.begun, e)
                self.note(self.ended, e)

    def handshake(self, e):
        address, target = self.address(e)
        conn = socket.create_connection(address, SECONDS)
        headers = "".join(f"{k}: {v}\r\n" for k, v in e.headers if k.lower() != "host")
        conn.sendall(f"GET {target} HTTP/1.1\r\nHost: {address[0]}:{address[1]}\r\n{headers}\r\n".encode())
        self.note(self.begun, e)
        head = b""
        while not head.endswith(b"\r\n\r\n"):
            byte = conn.recv(1)
            if not byte:
                raise frames.Closed(f"the handshake ended with {head[:80]!r}")
            head += byte
        if not head.startswith(b"HTTP/1.1 101 "):
            raise frames.Closed(f"the handshake was answered {head[:80]!r}")
        if frames.accept_of(e.header("sec-websocket-key")).encode() not in head:
            self.complain(e, "the handshake's key is answered wrongly")
        return frames.Talk(conn, True, b"permessage-deflate" in head.lower())

    def run(self):
        work = [(self.socket if e.opens else self.exchange, e) for e in self.entries if e.method != "WS"]
        threads = [threading.Thread(target=do, args=(e,)) for do, e in work]
        for t in threads:
            t.start()
        for t in threads:
            t.join()


if __name__ == "__main__":
    client = Client(tee.read(sys.argv[1]))
    client.run()
    print(json.dumps(client.bad))
