"""The Responses API over WebSockets through the recorder: frames pass unchanged, messages become calls, content stays out, and
what goes wrong on a socket leaves the agent and the trace as it should."""

import json
import os
import socket
import threading
import time

import harness
import sockets
from canary import leaks
from certificates import CannotMake, Service
from recording import HERE, python
from shapes import Canaries
from sockets import OFFER, PING, Gone, Refused, dial, opened
from wire import Hangup, Upstream, ask

ALONE = "permessage-deflate; server_no_context_takeover; client_no_context_takeover"


def create(text="hello", **more):
    return json.dumps({"type": "response.create", "model": "m", "input": [{"role": "user", "content": text}], **more})


def events(name="resp_1", text="a word", call=None, given=11, made=2):
    """The events of an answer, as texts."""
    response = {"id": name, "object": "response", "model": "m", "output": []}
    yield json.dumps({"type": "response.created", "response": {**response, "status": "in_progress"}})
    for word in text.split(" "):
        yield json.dumps({"type": "response.output_text.delta", "output_index": 0, "item_id": "i", "delta": word + " "})
    items = [{"type": "message", "id": "i", "role": "assistant", "content": [{"type": "output_text", "text": text}]}]
    if call:
        items.append({"type": "function_call", "id": "f", "call_id": call, "name": "look", "arguments": "{}"})
    for n, item in enumerate(items):
        yield json.dumps({"type": "response.output_item.done", "output_index": n, "item": item})
    usage = {"input_tokens": given, "output_tokens": made, "total_tokens": given + made}
    yield json.dumps({"type": "response.completed", "response": {**response, "status": "completed", "output": items, "usage": usage}})


def is_end(text):
    return json.loads(text)["type"] in ("response.completed", "response.failed", "error")


def answering(handler, extensions="permessage-deflate", context=None):
    """A service whose sockets are given to handler(socket, request); with a context over TLS."""

    def answer(request):
        handler(opened(request, extensions), request)
        raise Hangup

    return Upstream(answer, context)


def talk(s, _request):
    """Answers every request; every second one asks for a tool."""
    try:
        for n in range(1 << 20):
            text = s.text()
            for event in events(f"resp_{n}", call=f"call_{n}" if n % 2 == 0 else None):
                s.send(event)
            if "good bye" in text:
                return
    except Gone:
        pass


def await_request(s):
    """Passes over what is none."""
    while '"response.create"' not in s.text():
        pass


def request_all(s):
    """The events up to the last of an answer."""
    got = []
    while not got or not is_end(got[-1]):
        got.append(s.text())
    return got


def calls_of(done):
    return [n["model_call"] for n in done.trace().models()]


def clean(suite, title, done, calls, partial=0):
    """The recorder ended well, with so many calls, of which so many are partial."""
    found = calls_of(done)
    suite.one(f"{title}: the child's exit status comes back", done.status == 0, f"{done.status}: {done.err[-300:]}")
    suite.check(f"{title}: the trace is without a finding", [("trace", f) for f in suite.strict(done.where)], 1)
    right = len(found) == calls and sum(bool(c.get("partial")) for c in found) == partial
    suite.one(f"{title}: {calls} calls, {partial} of them partial", right, f"{found}")
    return found


# ---- what passes ----


def passing(suite):
    """Every agreement, every way to cut messages: both ends see the same, and the trace is the same."""
    bad, total = [], 0
    for offer, agreed in ((None, None), (OFFER, "permessage-deflate"), (OFFER, ALONE), (OFFER, None)):
        for pieces in (1, 3):
            total += 1
            seen = []

            def handler(s, _request, pieces=pieces, seen=seen):
                try:
                    for n in range(3):
                        seen.append(s.text())
                        between = sockets.frame(b"are you there", PING)
                        for event in events(f"resp_{n}", text="w " * 200, call="call_0" if n == 0 else None):
                            s.send(event, pieces=pieces, between=between)
                    s.text()
                except Gone:
                    pass

            with answering(handler, agreed) as upstream, suite.hold(upstream.url, ["--content"]) as held:
                got, sent = [], []
                with dial(held.urls["openai"], offer=offer) as s:
                    for n, text in enumerate(conversation()):
                        sent.append(text)
                        s.send(text, pieces=pieces)
                        got += request_all(s)
                    s.close()
                done = held.finish()
            wanted = [e for n in range(3) for e in events(f"resp_{n}", text="w " * 200, call="call_0" if n == 0 else None)]
            case = f"{offer} agreed {agreed}, {pieces} pieces"
            if seen != sent or got != wanted:
                bad.append((case, f"{len(seen)} messages of {len(sent)}, {len(got)} events of {len(wanted)}"))
            kinds = done.trace().kinds()
            if (kinds["model_call"], kinds["tool_call"], kinds["user_input"]) != (3, 1, 2):
                bad.append((case, f"{dict(kinds)} {done.err[-200:]}"))
            elif [c["input_tokens"] for c in calls_of(done)] != [11] * 3 or any("partial" in c for c in calls_of(done)):
                bad.append((case, f"{calls_of(done)}"))
            if missing := content_missing(done):
                bad.append((case, missing))
            bad += [(case, f) for f in suite.strict(done.where)]
    suite.check("messages pass unchanged and are recorded, however they are packed and cut", bad, total)


def conversation():
    """A question, its tool's result, another question."""
    yield create("the first question")
    yield json.dumps({"type": "response.create", "model": "m", "previous_response_id": "resp_0",
                      "input": [{"type": "function_call_output", "call_id": "call_0", "output": "the result"}]})
    yield create("the second question", previous_response_id="resp_1")


def content_missing(done):
    files = done.files()
    for name, texts in (("cassette.jsonl", ("the first question", "the result", '"socket":0')), ("run.otutl.jsonl", ("the result",)),
                        ("trajectory.jsonl", ("the result",))):
        for text in texts:
            if text.encode() not in files.get(name, b""):
                return f"{text!r} is not in {name}"
    return None


def secure(suite):
    """The same to a service that speaks TLS: whole, and cut inside an answer with and without a goodbye."""
    try:
        service = Service(suite.directory("certificates"))
    except CannotMake as e:
        suite.skip("sockets over TLS", str(e))
        return

    def handler(s, request):
        s.text()
        first, *rest = events("resp_0")
        s.send(first)
        if request.header("x-how") == "whole":
            for event in rest:
                s.send(event)
            try:
                s.text()
            except Gone:
                pass
        elif request.header("x-how") == "closed":
            request.conn.unwrap()

    for how in ("whole", "closed", "cut"):
        with answering(handler, context=service.context()) as upstream, suite.hold(upstream.url, more=service.trust) as held:
            got = []
            with dial(held.urls["openai"], headers=[("X-How", how)]) as s:
                s.send(create())
                try:
                    while not got or not is_end(got[-1]):
                        got.append(s.text())
                except (Gone, OSError):
                    pass
            done = held.finish()
        suite.one(f"a socket over TLS, {how}: events come", got == list(events("resp_0"))[: None if how == "whole" else 1], f"{got}")
        clean(suite, f"a socket over TLS, {how}", done, 1, 0 if how == "whole" else 1)


def clocks(suite):
    """First token and end are those of the messages."""

    def handler(s, _request):
        try:
            s.text()
            for n, event in enumerate(events(text="one two")):
                time.sleep(0.2 if n in (1, 4) else 0)  # before the first word, and before the end
                s.send(event)
            s.text()
        except Gone:
            pass

    with answering(handler) as upstream, suite.hold(upstream.url) as held:
        with dial(held.urls["openai"]) as s:
            s.send(create())
            request_all(s)
            time.sleep(0.3)
        done = held.finish()
    call = clean(suite, "times", done, 1)[0]
    right = 0.2 <= call["ttft_seconds"] < call["latency_seconds"] and 0.4 <= call["latency_seconds"]
    suite.one("times: the first token and the end are those of the messages", right and call["stop_reason"] == "end_turn", f"{call}")


def agent(suite, name, command):
    """An agent against the mock: a prewarm, a call that asks for a tool, one with the result."""
    script = suite.write(suite.directory("script"), "mock.json", json.dumps({"schema": "trackway.mock/1", "rules": [
        {"match": {"last": "TOOLMARK"}, "reply": {"text": "all done", "usage": {"input": 20, "output": 2}}},
        {"match": {"contains": "what is there"},
         "reply": {"text": "look", "tool_calls": [{"name": "exec", "arguments": {"cmd": "x"}}], "usage": {"input": 10, "output": 5}}},
    ]}))
    with suite.mock(script) as mock:
        done = suite.record(command, {"openai": mock.url + "/v1"})
    kinds = done.trace().kinds()
    right = done.status == 0 and done.out == b"all done\n" and (kinds["model_call"], kinds["tool_call"], kinds["user_input"]) == (2, 1, 1)
    suite.one(f"the mock over a socket, {name}: 2 calls, 1 tool", right, f"{done.status} {dict(kinds)} {done.err[-300:]} {done.out[-300:]}")
    suite.one(f"{name}: tokens", [c["input_tokens"] for c in calls_of(done)] == [10, 20], f"{calls_of(done)}")
    suite.check(f"{name}: the trace is without a finding", [("trace", f) for f in suite.strict(done.where)], 1)


def mocked(suite):
    agent(suite, "a client by hand", python(os.path.join("clients", "socket_agent.py"), "hand"))


def packaged(suite):
    """The same with a client that people use."""
    program = harness.python_packages(suite, "record-websockets", "websockets==17.4\n", "--no-deps")
    if program:
        agent(suite, "websockets of PyPI", [program, "-B", os.path.join(HERE, "clients", "socket_agent.py"), "websockets"])


def refused(suite):
    """--no-websocket: 426 at once, and plain HTTP goes on."""
    with suite.mock() as mock, suite.hold({"openai": mock.url + "/v1"}, ["--no-websocket"]) as held:
        status = 0
        try:
            dial(held.urls["openai"]).conn.close()
        except Refused as e:
            status = e.status
        got = ask(held.urls["openai"], "POST", "/responses", create(), {"Content-Type": "application/json"})
        done = held.finish()
    suite.one("--no-websocket: 426, then plain HTTP", (status, got.status) == (426, 200), f"{status} {got.status}")
    clean(suite, "--no-websocket", done, 1)


# ---- secrets ----


def canaries(suite):
    """In every place of a socket: none is in what is written by default."""
    for options in ([], ["--content"]):
        c = Canaries(suite.random)

        def handler(s, _request, c=c):
            try:
                s.send(c.any("ping of a service"), PING)
                s.send(json.dumps({"type": "codex.note", "text": c.any("message of no answer")}))
                for n in range(5):
                    await_request(s)
                    for event in events(f"resp_{n}", text=c.any("answer"), call=f"call_{n}"):
                        s.send(event)
                    s.send(json.dumps({"type": "session.done", "text": c.any("message behind an answer")}))
                await_request(s)
                s.send(json.dumps({"type": "error", "status": 400, "error": {"message": c.any("error"), "code": "bad"}}))
                await_request(s)
                s.send(json.dumps({"type": "response.failed", "response": {"id": "resp_f", "error": {"message": c.any("failure")}}}))
                await_request(s)
                s.close(4000, c.any("reason of a close"))
            except Gone:
                pass

        with answering(handler) as upstream, suite.hold(upstream.url, options) as held:
            headers = [("Authorization", f"Bearer {c.key('key of a socket')}"), ("X-Secret", c.any("header of a socket"))]
            with dial(held.urls["openai"], f"/responses?key={c.key('key in a query')}", headers=headers) as s:
                s.send(c.any("ping"), PING)
                s.send(c.any("message that is no JSON"))
                s.send(json.dumps({"type": "session.update", "text": c.any("message that is no request")}))
                for n in range(7):
                    text = c.any("question") if n else "the first question"
                    s.send(create(text, instructions=c.any("instructions"), previous_response_id=f"resp_{n - 1}" if n else None,
                                  client_metadata={"x-note": c.any("metadata"), "turn": c.any("turn")}))
                    request_all(s)
                s.send(create(c.any("question that nobody answers")))
                try:
                    s.text()
                except Gone:
                    pass
            done = held.finish()
        files = {**done.files(), "standard error": done.err.encode(), "standard output": done.out}
        kept = ("cassette.jsonl", "run.otutl.jsonl", "trajectory.jsonl") if options else ()
        open_files = {n: f for n, f in files.items() if n not in kept}
        title = f"sockets {' '.join(options)}".strip()
        suite.check(f"{title}: no canary is where it must not be", leaks(c.put, c.put, open_files), len(c.put))
        suite.check(f"{title}: keys are in no file", leaks(c.keys, c.put, files), len(c.keys))
        suite.one(f"{title}: the run has its calls", len(calls_of(done)) == 8, f"{calls_of(done)}")
        suite.check(f"{title}: the trace is without a finding", [("trace", f) for f in suite.strict(done.where)], 1)
        if options:
            asked = [t for t, place in c.put.items() if place in ("question", "answer")]
            lost = [(c.put[t], "not in the cassette") for t in asked if t.encode() not in files["cassette.jsonl"]]
            suite.check(f"{title}: content is in the cassette", lost, len(asked))


# ---- what goes wrong ----


def dying(suite):
    """The service breaks off inside an answer, in the ways that sockets have of breaking."""
    ways = ("close", "reset", "half a frame", "bad frame", "close frame", "damaged")

    def handler(s, request):
        how = request.header("x-how")
        s.text()
        for n, event in enumerate(events()):
            if n == 2:
                break
            s.send(event)
        if how == "reset":
            request.conn.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
        elif how == "half a frame":
            request.conn.sendall(s.encode("x" * 1000)[:9])
        elif how == "bad frame":
            request.conn.sendall(b"\x83\x00")
        elif how == "close frame":
            s.close(1011, "no more")
        elif how == "damaged":
            request.conn.sendall(sockets.frame(b"\xff\xff\xff", packed=True))

    for how in ways:
        with answering(handler) as upstream, suite.hold(upstream.url) as held:
            with dial(held.urls["openai"], headers=[("X-How", how)]) as s:
                s.send(create())
                got = []
                try:
                    while True:
                        got.append(s.text())
                except (Gone, OSError, sockets.zlib.error):
                    pass
            done = held.finish()
        suite.one(f"{how}: what came before reached the client", len(got) >= 2, f"{got}")
        clean(suite, f"a service that ends by {how}", done, 1, 1)


def leaving(suite):
    """The client goes away inside an answer: by closing, by a reset, by half of its connection, inside a frame."""
    for how in ("close", "reset", "half close", "half a frame", "close frame"):
        with answering(lambda s, _: (s.text(), s.send(next(events())), time.sleep(1))) as upstream, suite.hold(upstream.url) as held:
            s = dial(held.urls["openai"])
            s.send(create())
            s.text()
            if how == "reset":
                s.conn.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
            elif how == "half a frame":
                s.conn.sendall(s.encode(create("another"))[:11])
            elif how == "close frame":
                s.close()
            if how == "half close":
                s.conn.shutdown(socket.SHUT_WR)
                time.sleep(0.2)
            s.conn.close()
            done = held.finish()
        clean(suite, f"a client that leaves by {how}", done, 1, 1)


def slow(suite):
    """A client that does not read holds the service up; what passes stays whole, and memory bounded."""
    count, size = 400, 100000
    sent = []

    def handler(s, _request):
        s.text()
        first, *rest = events(text="x")
        s.send(first)
        for n in range(count):
            s.send(json.dumps({"type": "response.output_text.delta", "output_index": 0, "item_id": "i", "delta": f"{n} " + "y" * size}))
            sent.append(n)
        for event in rest:
            s.send(event)
        try:
            s.text()
        except Gone:
            pass

    with answering(handler, None) as upstream, suite.hold(upstream.url) as held:
        with dial(held.urls["openai"], offer=None) as s:
            s.send(create())
            s.text()
            time.sleep(1)
            waited = len(sent)
            got = request_all(s)
            with open(f"/proc/{held.process.pid}/status", encoding="ascii") as f:
                peak = next(int(line.split()[1]) * 1024 for line in f if line.startswith("VmHWM"))
        done = held.finish()
    suite.one("a slow client holds the service up", waited < count, f"{waited} of {count} were sent while nobody read")
    whole = [json.loads(t)["delta"].split(" ")[0] for t in got if size < len(t)] == [str(n) for n in range(count)]
    suite.one("and gets every message in its order", whole, f"{len(got)} messages")
    suite.one("in less than 150 MB of memory", peak < 150e6 * harness.SLOWER, f"{peak / 1e6:.0f} MB")
    clean(suite, "a slow client", done, 1)


def large(suite):
    """A message beyond what is looked at passes, and the trace says that something is missing."""
    with answering(talk, None) as upstream, suite.hold(upstream.url) as held:
        with dial(held.urls["openai"], offer=None, timeout=120 * harness.SLOWER) as s:
            s.send_slowly(create("z" * (65 << 20)), 0.02)  # a recorder that falls behind would read nothing at all
            request_all(s)
            s.send(create("small"))
            request_all(s)
        done = held.finish()
    clean(suite, "a message of 65 MiB", done, 2, 0)
    suite.one("a message of 65 MiB leaves a mark", done.trace().kinds()["system"] == 1, f"{dict(done.trace().kinds())}")


def many(suite):
    """Sockets side by side: every answer is its own request's."""
    count, turns, bad = 24, 5, []

    def client(number, base):
        with dial(base) as s:
            for turn in range(turns):
                s.send(create(f"socket {number} turn {turn}"))
                if len(request_all(s)) != len(list(events(call="c" if turn % 2 == 0 else None))):
                    bad.append((number, turn))

    with answering(talk) as upstream, suite.hold(upstream.url) as held:
        threads = [threading.Thread(target=client, args=(n, held.urls["openai"])) for n in range(count)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        done = held.finish()
    suite.check("sockets side by side", bad, count * turns)
    clean(suite, f"{count} sockets", done, count * turns)


def killed(suite):
    """The recorder is killed while messages pass: answers that were complete a while ago are in the trace, and lines are whole."""
    bad, total = [], 8
    for n in range(total):
        with answering(talk) as upstream, suite.hold(upstream.url) as held:
            s = dial(held.urls["openai"])
            for turn in range(3):
                s.send(create(f"turn {turn}"))
                request_all(s)
            time.sleep(0.5 * harness.SLOWER)
            s.send(create("the last"))
            time.sleep(0.002 * n)
            held.process.kill()
            held.process.wait()
            ended = False
            try:
                while True:
                    s.text()
            except (Gone, OSError):
                ended = True
            with open(os.path.join(held.where, "agent-trace.jsonl"), "rb") as f:
                lines = f.read().split(b"\n")
            try:
                kinds = [json.loads(line)["kind"] for line in lines[:-1]]
            except (ValueError, KeyError) as e:
                bad.append((n, f"a line is broken: {e}"))
                continue
        if not ended or kinds.count("model_call") < 3:
            bad.append((n, f"{kinds}, the client {'was told' if ended else 'waits'}"))
    suite.check("kill -9: what was complete is there, and the client is told", bad, total)


def run(suite):
    for part in (passing, secure, clocks, mocked, refused, canaries, dying, leaving, slow, large, many, killed):
        part(suite)
