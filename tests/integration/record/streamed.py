"""Recorded streams of every service, sent again through the recorder in small pieces: the client gets the bytes of the
recording, and the trace, the cassette and what it converts to say what an independent reader found in them."""

import collections
import gzip
import hashlib
import json
import os
import urllib.parse

import streams_set
from converting import table
from harness import rows
from recording import HERE, each
from wire import Client, Hangup, Upstream, chunked, cut

FRAMING = {"content-length", "transfer-encoding", "connection", "content-encoding"}
PATHS = {"openai-chat": "/v1/chat/completions", "anthropic-messages": "/v1/messages"}


class Case:
    def __init__(self, where, row, exchange):
        self.row, self.api = row, row["api"]
        self.name = os.path.basename(row["file"])
        self.full = os.path.join(where, self.name)
        with open(self.full, "rb") as f:
            self.bytes = f.read()
        self.method = exchange["method"] or "POST"
        uri = urllib.parse.urlsplit(exchange["uri"] or PATHS[self.api])
        service = "anthropic" if self.api == "anthropic-messages" else "gemini" if self.api == "gemini" else "openai"
        self.service = service
        self.path = (uri.path or "/") + (f"?{uri.query}" if uri.query else "")
        if service == "openai":
            self.path = self.path.removeprefix("/v1")
        given = exchange["response_headers"].items()
        self.headers = [(k, v) for k, v in given if k.lower() not in FRAMING and not k.lower().endswith(("-id", "reqid"))]
        self.body = exchange["request_body"] or self.made_body()

    def made_body(self):
        """Where the recording has no request."""
        if self.method == "GET":
            return ""
        message = {"role": "user", "content": f"of {self.name}"}
        return json.dumps({"model": self.row["model"], "max_tokens": 9, "stream": True, "messages": [message]})


def cases_of(where):
    with gzip.open(os.path.join(where, "EXCHANGES.jsonl.gz"), "rt", encoding="utf-8") as f:
        exchanges = {e["file"]: e for e in map(json.loads, f)}
    return [Case(where, row, exchanges[row["file"]]) for row in rows(os.path.join(where, "EXPECT.jsonl"))]


def upstream_for(cases):
    by_name = {c.name: c for c in cases}

    def answer(request):
        case = by_name[request.header("x-case")]
        kind = next((v for k, v in case.headers if k.lower() == "content-type"), "text/event-stream")
        rest = [(k, v) for k, v in case.headers if k.lower() != "content-type"]
        ids = [("x-request-id", case.name), ("request-id", case.name)]
        size = max(1, len(case.bytes) // 150)  # small ones byte by byte
        if request.header("x-cut"):
            return broken(chunked(cut(half_of(case), size), kind=kind, headers=rest + ids))
        return chunked(cut(case.bytes, size), kind=kind, headers=rest + ids)

    return Upstream(answer)


def broken(pieces):
    """The answer without its last piece, which is its end."""
    held = next(pieces)
    for piece in pieces:
        yield held
        held = piece
    raise Hangup


def half_of(case):
    return case.bytes[: len(case.bytes) // 2]


def replay(held, cases, half=False):
    """Asks for each in turn, or for the half of each. What did not come back as it was recorded."""
    bad = []
    clients = {service: Client(held.urls[service]) for service in ("openai", "anthropic", "gemini")}
    for case in cases:
        headers = {"x-case": case.name, "Content-Type": "application/json", "Authorization": "Bearer sk-none"}
        headers.update({"x-cut": "1"} if half else {})
        want = half_of(case) if half else case.bytes
        got = clients[case.service].ask(case.method, case.path, case.body.encode() if case.body else None, headers)
        if got.status != 200 or got.whole == half:
            bad.append((case.name, f"status {got.status}, {len(got.body)} bytes, {'whole' if got.whole else 'cut'}"))
        elif got.body != want:
            bad.append((case.name, f"{len(got.body)} bytes, others than the {len(want)} recorded"))
    return bad


# ---- the trace ----


def tokens(case):
    """(input, output) in the meaning of the trace, or None when the stream does not tell."""
    usage = case.row["usage"]
    if not usage:
        return None
    given, made = streams_set.usage_of(case.api, usage)
    return given or 0, made or 0


def compare_node(case, trace, node):
    call = node["model_call"]
    bad = []
    want = tokens(case)
    got = (call["input_tokens"], call["output_tokens"])
    if want and got != want:
        bad.append(f"tokens {got} and not {want}")
    if want and (call["input_tokens_source"], call["output_tokens_source"]) != ("api", "api"):
        bad.append("source of the tokens is not the API")
    # the connection ended as it should, so that a stop reason is enough where a service sends no terminator; an answer
    # that ended in an error is partial or not, by whether the error came in its place or behind it
    ended = case.row["terminated"] or bool(case.row["finish"])
    if bool(call.get("partial")) == ended and call["stop_reason"] != "error":
        bad.append(f"partial is {call.get('partial')}, though the stream {'ended' if ended else 'did not end'}")
    if not case.row["finish"] and call["stop_reason"] == "end_turn":
        bad.append("stop_reason end_turn, which nobody said")
    if not call["stream"]:
        bad.append("stream is false")
    names = collections.Counter(c["name"] for c in case.row["tool_calls"] if c.get("name") and c["name"] not in served(case) | typed(case))
    seen = collections.Counter(t["tool_call"]["name"] for t in tools_of(trace, node))
    missing = names - seen
    if missing:
        bad.append(f"tools {dict(seen)}, without {dict(missing)}")
    return [(case.name, w) for w in bad]


def typed(case):
    """The one function that the request demands: its call is the answer, in a shape that was asked for, and no call."""
    choice = (json.loads(case.body) if case.body else {}).get("tool_choice")
    choice = choice if isinstance(choice, dict) else {}
    return {choice.get("name") or (choice.get("function") or {}).get("name")}


def served(case):
    """Names of tools that the service runs itself, inside of the call."""
    events = streams_set.events_of(case.full)
    blocks = [e.get("content_block") or {} for e in events if isinstance(e, dict) and e.get("type") == "content_block_start"]
    return streams_set.SERVED | {b.get("name") for b in blocks if b.get("type") in ("server_tool_use", "mcp_tool_use")}


def tools_of(trace, node):
    below = trace.children(node, "tool_call")
    for branch in trace.children(node, "branch"):
        below += trace.children(branch, "tool_call")
    return below


# ---- the content ----


class Cassettes:
    """A suite whose `convert` of a stream converts what the recorder kept of it instead."""

    def __init__(self, suite, place, lines):
        self.suite, self.place, self.lines = suite, place, lines

    def call(self, words):
        name = os.path.basename(words[1])
        if name not in self.lines:
            return 3, b"", "not in the cassette"
        path = self.suite.write(self.place, name + ".cassette.jsonl", b"\n".join(self.lines[name]) + b"\n")
        status, out, err, _ = self.suite.run(["convert", path, "--to", "otutl"])
        return status, without_history(out), err.decode(errors="replace")


def without_history(log):
    """The log without the calls that the request told again: they are of earlier answers."""
    records = [json.loads(line) for line in log.splitlines()]
    steps = {r["step_id"] for r in records if r["type"] == "model_step"}
    kept = [r for r in records if r["type"] != "tool_call" or r["step_id"] in steps]
    return "\n".join(json.dumps(r) for r in kept).encode()


def body_digest(line):
    return line["resp"]["body"]["sha256"].rpartition(":")[2]


class Reviewed:
    """The rows of streamed.tsv, and which of them were needed."""

    def __init__(self):
        self.rows = {(name, part) for name, part, _ in table(os.path.join(HERE, "streamed.tsv"), 3)}
        self.used = set()

    def take(self, bad):
        key = (bad[0], bad[1].split()[0])
        self.used |= {key} & self.rows
        return key in self.rows


def reviewed(suite, title, bad, total, allowed):
    known = [b for b in bad if allowed.take(b)]
    suite.check(title, [b for b in bad if b not in known], total)
    if known:
        suite.note(f"{len(known)} reviewed in streamed.tsv")


def run(suite):
    where = suite.data("streams", os.path.join("corpora", "04-sse", "dev", "transcripts"))
    if not where:
        return
    cases = cases_of(where)
    allowed = Reviewed()
    with upstream_for(cases) as upstream:
        with suite.hold(upstream.url) as held:
            bad = replay(held, cases)
            plain = held.finish()
        suite.check("every recorded answer passes unchanged", bad, len(cases))
        with suite.hold(upstream.url, ["--content"]) as held:
            bad = replay(held, cases)
            kept = held.finish()
        suite.check("the same while content is kept", bad, len(cases))
        with suite.hold(upstream.url) as held:
            bad = replay(held, cases, True)
            torn = held.finish()
        suite.check("half an answer reaches the client, and as a cut one", bad, len(cases))
    suite.check("the trace of it all is without a finding", [("trace", f) for f in suite.strict(plain.where)], 1)
    check_traces(suite, cases, plain.trace(), allowed)
    suite.check("nor has the trace of the halves one", [("trace", f) for f in suite.strict(torn.where)], 1)
    check_halves(suite, cases, torn.trace(), allowed)
    check_content(suite, where, cases, kept, allowed)
    stale = [(n, f"{part} did not happen") for n, part in sorted(allowed.rows - allowed.used)]
    suite.check("every row of streamed.tsv is needed", stale, len(allowed.rows))


def check_traces(suite, cases, trace, allowed):
    nodes = {n["model_call"]["request_id"]: n for n in trace.models()}
    for api in streams_set.APIS:
        mine = [c for c in cases if c.api == api]
        bad = []
        for case in mine:
            node = nodes.get(case.name)
            bad += compare_node(case, trace, node) if node else [(case.name, "no model call has its request id")]
        reviewed(suite, f"{api}: tokens, tools and ends in the trace", bad, len(mine), allowed)


def check_halves(suite, cases, trace, allowed):
    """Nothing of half a stream may look like a success."""
    nodes = {n["model_call"]["request_id"]: n["model_call"] for n in trace.models()}
    mine = [c for c in cases if c.api in streams_set.APIS and not (c.api == "gemini" and b"finishReason" in half_of(c))]
    bad = []
    for case in mine:
        call = nodes.get(case.name)
        if not call:
            bad.append((case.name, "no model call has its request id"))
        elif not call.get("partial") or call["stop_reason"] != "error":
            bad.append((case.name, f"partial is {call.get('partial')}, stop_reason {call['stop_reason']}"))
    reviewed(suite, "half of a stream is partial and failed in the trace", bad, len(mine), allowed)


def check_content(suite, where, cases, kept, allowed):
    path = os.path.join(kept.where, "cassette.jsonl")
    with open(path, "rb") as f:
        first, *lines = f.read().splitlines()
    by_digest = {}
    for line in lines:
        exchange = json.loads(line)
        if exchange.get("resp"):
            by_digest[body_digest(exchange)] = [first, line]
    found = {c.name: by_digest.get(hashlib.sha256(c.bytes).hexdigest()) for c in cases}
    lost = [(c.name, "its bytes are not in the cassette") for c in cases if not found[c.name]]
    suite.check("the cassette has every answer as it came", lost, len(cases))
    cassettes = Cassettes(suite, suite.directory("cassettes"), {n: lines for n, lines in found.items() if lines})
    for api in streams_set.APIS:
        mine = [c for c in cases if c.api == api]
        bad = [w for ws in each(lambda c: streams_set.compare(cassettes, where, c.row), mine, 2) for w in ws]
        reviewed(suite, f"{api}: text, tools and usage of the content", bad, len(mine), allowed)
