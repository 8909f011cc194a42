"""Secrets and pieces of prompts, sent through every API in every place where content stands: none of them may be in what is
written by default, nor on standard error. With --content they are where they belong, and keys are nowhere."""

import base64
import json
import os
import stat
import urllib.parse

from shapes import KINDS, Canaries, halves
from wire import ask, connect, receive

COUNT = 500


def exchanges(c):
    made, kind = [], 0
    while len(c.put) < COUNT or kind < 2 * len(KINDS):
        made.append(KINDS[kind % len(KINDS)](c))
        kind += 1
    return made


def send(suite, c, options):
    made = exchanges(c)
    upstream = suite.upstream(lambda request: made[int(request.header("x-number") or 0)].answer())
    bad = []
    argument = c.any("argument of the child")
    with upstream:
        with suite.hold(upstream.url, options, words=("sh", argument), more={"CANARY": c.any("environment")}) as held:
            for number, x in enumerate(made):
                got = ask(held.urls[x.service], x.method, x.path, x.body, {**x.headers, "x-number": str(number)})
                if got.status != x.status or not got.whole:
                    bad.append((x.path[:40], f"status {got.status} and not {x.status}"))
            spoil(held, c)
            done = held.finish()
    suite.check(f"{len(c.put)} canaries pass {' '.join(options)}".strip(), bad, len(made))
    return done


def spoil(held, c):
    """Requests that break, with something to tell in them."""
    for text in (f"POST /{c.any('broken target')} HTTP/1.1\r\n\r\n", f"GET / HTTP/1.1\r\nHost: a\r\n{c.any('broken header')}\r\n\r\n",
                 f"POST /openai/v1/chat/completions HTTP/1.1\r\nHost: a\r\nContent-Length: 900\r\n\r\n{{\"messages\":\"{c.any('torn body')}"):
        with connect(held.urls["bare"], 5) as conn:
            conn.sendall(text.encode())
            receive(conn, 0.1)


def forms(text):
    """How a text could be found: as it is, its halves, and encoded."""
    half = halves(text)
    found = {text, urllib.parse.quote(text), urllib.parse.quote_plus(text), base64.b64encode(text.encode()).decode()}
    return {f.encode() for f in found} | {h.encode() for h in half if len(h) >= 10}


def leaks(canaries, put, files):
    bad = []
    for text in canaries:
        for name, content in files.items():
            if any(form in content for form in forms(text)):
                bad.append((put[text], f"{text[:8]}... is in {name}"))
    return bad


def run(suite):
    hidden(suite)
    with_content(suite)


def hidden(suite):
    """Nothing of it is anywhere by default."""
    c = Canaries(suite.random)
    done = send(suite, c, [])
    files = {**done.files(), "standard error": done.err.encode(), "standard output": done.out}
    suite.one("the run has a trace", len(files.get("agent-trace.jsonl", b"")) > 1000, f"{ {n: len(f) for n, f in files.items()} }")
    suite.check("no canary is in the run directory or on standard error", leaks(c.put, c.put, files), len(c.put))
    home = {os.path.relpath(p, suite.place): open(p, "rb").read() for p in walk(os.path.join(suite.place, "home"))}
    suite.check("no canary is in the list of runs", leaks(c.put, c.put, home), len(c.put))
    suite.check("the trace of it all is without a finding", [("trace", f) for f in suite.strict(done.where)], 1)


def walk(where):
    return [os.path.join(d, n) for d, _, names in os.walk(where) for n in names]


def with_content(suite):
    c = Canaries(suite.random)
    done = send(suite, c, ["--content"])
    files = done.files()
    kept = [n for n in ("cassette.jsonl", "run.otutl.jsonl", "trajectory.jsonl") if n in files]
    suite.one("with --content the files of content are there", len(kept) == 3, f"{sorted(files)}")
    modes = {n: stat.S_IMODE(os.stat(os.path.join(done.where, n)).st_mode) for n in kept}
    suite.check("they are for the owner only", [(n, f"mode {m:o}") for n, m in modes.items() if m != 0o600], len(kept))
    inside = [t for t, place in c.put.items() if place in ("chat user message", "messages user message", "responses result")]
    lost = [(c.put[t], f"{t[:8]}... is not in the cassette") for t in inside if t.encode() not in files.get("cassette.jsonl", b"")]
    suite.check("content is in the cassette", lost, len(inside))
    everything = {**files, "standard error": done.err.encode()}
    suite.check("keys are in no file", leaks(c.keys, c.put, everything), len(c.keys))
    others = {n: f for n, f in everything.items() if n not in kept}
    suite.check("all other files are without content", leaks(c.put, c.put, others), len(c.put))
    meta = json.loads(files.get("meta.json", b"{}"))
    marked = meta.get("content_saved") is True and meta.get("local_only") is True
    suite.one("meta.json says that content was saved and stays here", marked, f"{sorted(meta)}")
    unmarked = [(n, "no local_only in its first line") for n in kept if b'"local_only":true' not in files[n].split(b"\n", 1)[0].replace(b" ", b"")]
    suite.check("each of them is marked as local", unmarked, len(kept))
