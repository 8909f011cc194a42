"""
Tees of real agents, played again through the recorder: a server gives the recorded answers, a client sends the recorded
requests, and the trace must have what the README beside the tees calls the truth, and what the wire itself says. Every
directory with a tee.jsonl counts; others than the usual ones: tees.py DIR, where DIR/README.md has the table.
"""

import os
import sys
import threading

HERE = os.path.dirname(os.path.abspath(__file__))
if __name__ == "__main__":
    sys.path[1:1] = [os.path.join(HERE, "..", "validate"), os.path.join(HERE, "..", "convert")]

import frames
import harness
import tee
from recording import ROOT, Recording, python
from wire import Hangup, Upstream, chunked, head, whole

CODINGS = {"accept-encoding"}  # the recorder asks for what it can unpack
SECONDS = 20  # that an answer waits for the requests that came before its end


class Model:
    """Plays the model's side: finds each request in the tee, and answers it when the recorded overlap is there."""

    def __init__(self, entries):
        self.entries = entries
        self.come = set()
        self.turn = threading.Condition()
        self.bad = []

    def find(self, fits):
        """The first entry that fits and has not come."""
        with self.turn:
            found = next((e for e in self.entries if e not in self.come and fits(e)), None)
            self.come.add(found)
            self.turn.notify_all()
        return found

    def wait(self, e):
        with self.turn:
            self.turn.wait_for(lambda: all(x in self.come for x in self.entries if e.t < x.t < e.te), SECONDS)

    def answer(self, request):
        e = self.find(lambda e: e.method == request.method and e.body() == request.body and is_same_path(e, request.target))
        if e is None:
            self.bad.append((f"{request.method} {request.target}", "no such request was recorded"))
            return whole(b"{}", 500)
        self.compare(e, request)
        if e.opens:
            return self.talk(e, request)
        self.wait(e)
        return self.http(e)

    def compare(self, e, request):
        """Headers pass as they are, but those of the connection."""
        came = [(k.lower(), v) for k, v in request.headers]
        for name, value in e.headers:
            if name.lower() not in tee.HOP | CODINGS and (name.lower(), value) not in came:
                self.bad.append((e.path, f"the header {name} did not reach the service"))

    def http(self, e):
        kept = [(k, v) for k, v in e.rheaders if k.lower() not in tee.HOP]
        if any(k.lower() == "transfer-encoding" for k, _ in e.rheaders):
            pieces = [p + b"\n\n" for p in e.answer().split(b"\n\n") if p] if e.answer().endswith(b"\n\n") else [e.answer()]
            kind = next((v for k, v in kept if k.lower() == "content-type"), "text/plain")
            return chunked(pieces, e.status, kind, [h for h in kept if h[0].lower() != "content-type"])
        body = b"" if e.method == "HEAD" else e.answer()
        size = next((v for k, v in e.rheaders if k.lower() == "content-length" and e.method == "HEAD"), len(body))
        return head(e.status, [*kept, ("Content-Length", size)]) + body

    def talk(self, opening, request):
        """A WebSocket: each message is answered with the recorded ones."""
        deflated = "permessage-deflate" in (request.header("sec-websocket-extensions") or "")
        more = [("Sec-WebSocket-Extensions", "permessage-deflate")] if deflated else []
        key = frames.accept_of(request.header("sec-websocket-key") or "")
        request.conn.sendall(head(101, [("Upgrade", "websocket"), ("Connection", "Upgrade"), ("Sec-WebSocket-Accept", key), *more]))
        talk = frames.Talk(request.conn, False, deflated)
        try:
            while True:
                text = talk.receive()
                e = self.find(lambda e: e.socket is opening and e.text == text)
                if e is None:
                    self.bad.append((opening.path, "a message came that was not recorded"))
                    break
                self.wait(e)
                for message in e.messages():
                    talk.send(message)
        except frames.Closed:
            pass
        raise Hangup

    def missing(self):
        return [(e.path, "did not reach the service") for e in self.entries if e not in self.come]


def is_same_path(e, target):
    """What was asked for; a path that lacked its version and was refused (404) must arrive with it."""
    needs = e.status == 404 and e.path.split("?")[0] in ("/messages", "/chat/completions", "/responses")
    return target == (f"/v1{e.path}" if needs else e.path)


# ---- what must have come of it ----


class Wire:
    """What a tee says by itself."""

    def __init__(self, entries):
        self.calls = [e for e in entries if e.is_model_call()]
        self.good = [e for e in self.calls if e.status < 400]
        self.tools = [name for e in self.good for name in e.calls()]
        working = {e.model() for e in self.good if e.calls() or e.results()}
        self.side = [e for e in self.good if working and e.model() not in working]

    def sums(self):
        """Tokens of all; without titles and routers; without sub-agents; without both. A README may tell any of these."""
        parted = [self.good, [e for e in self.good if e not in self.side]]
        parted += [[e for e in p if not e.is_subagent()] for p in parted]
        return [tuple(map(sum, zip(*[e.usage() or (0, 0) for e in p]))) for p in parted if p]


def judge_calls(trace, wire, truth):
    models, tools = trace.models(), trace.of("tool_call")
    failed = [n for n in models if n["model_call"]["stop_reason"] == "error"]
    bad = []
    if len(models) != len(wire.calls):
        bad.append(("model calls", f"{len(models)}, the wire has {len(wire.calls)}"))
    if len(failed) != len(wire.calls) - len(wire.good):
        bad.append(("failed model calls", f"{len(failed)}, the wire has {len(wire.calls) - len(wire.good)}"))
    if len(tools) != len(wire.tools):
        bad.append(("tool calls", f"{len(tools)}, the wire has {len(wire.tools)}"))
    counted = len(wire.good) if truth.status else len(models)
    if truth.models is not None and truth.models not in (counted, counted - len(wire.side)):
        bad.append(("model calls", f"{counted} with {len(wire.side)} beside; the README says {truth.text}"))
    if truth.failed is not None and truth.failed != len(failed):
        bad.append(("failed model calls", f"{len(failed)}; the README says {truth.text}"))
    if truth.status and {e.status for e in wire.calls} != {truth.status}:
        bad.append(("statuses", f"{sorted(e.status for e in wire.calls)}; the README says {truth.text}"))
    if truth.tools is not None and truth.tools != len(tools):
        bad.append(("tool calls", f"{len(tools)}; the README says {truth.text}"))
    return bad


def judge_tokens(trace, wire, truth):
    bad = []
    told = sorted((n["model_call"]["input_tokens"], n["model_call"]["output_tokens"]) for n in trace.models()
                  if n["model_call"]["input_tokens_source"] == "api" and n["model_call"]["stop_reason"] != "error")
    said = sorted(u for u in (e.usage() for e in wire.good) if u)
    if told != said:
        bad.append(("tokens of the calls", f"{told}, the wire says {said}"))
    sums = wire.sums()
    if truth.tokens and truth.tokens not in sums:
        bad.append(("tokens", f"none of {sums}; the README says {truth.text}"))
    total = trace.summary["total_tokens"] if trace.summary else {}
    if sums and all(e.usage() for e in wire.good) and (total.get("input"), total.get("output")) != sums[0]:
        bad.append(("tokens of the summary", f"{total}, the wire says {sums[0]}"))
    return bad


def judge_graph(trace, wire, truth):
    """Every tool call hangs on a model call, and what was answered leads on to one. A person said what the README says."""
    bad = []
    for n in trace.of("tool_call"):
        asked = trace.parents(n)
        if not asked or any(p is None or p["kind"] not in ("model_call", "branch") for p in asked):
            bad.append((n["tool_call"]["name"], "hangs on no model call"))
    ends = [n for n in trace.of("tool_call") if not trace.children(n)]
    left = open_calls(wire)
    if len(ends) != left:
        bad.append(("tool calls that lead nowhere", f"{len(ends)}, the wire left {left} without a result"))
    said = len(trace.of("user_input"))
    if (wire.calls and not said) or (truth.inputs is not None and said != truth.inputs):
        bad.append(("user inputs", f"{said}, and not {1 if truth.inputs is None else truth.inputs}"))
    return bad


def open_calls(wire):
    """Calls of answers that no later request of the same talk brings a result for."""
    left = 0
    for i, e in enumerate(wire.good):
        asked, followed = len(e.calls()), any(follows(x, e) for x in wire.good[i + 1 :])
        left += 0 if followed else asked
    return left


def follows(later, e):
    """It goes on from the answer by its id, or tells the same beginning and more results."""
    q = later.request()
    if q.get("previous_response_id"):
        return q["previous_response_id"] in e.said
    return opening(later) == opening(e) and later.results() > e.results()


def opening(e):
    """How a talk begins: the texts of the first thing that a user says in it."""
    q = e.request()
    said = q.get("messages") or q.get("input") or q.get("contents") or []
    first = next((m.get("content") or m.get("parts") for m in said if isinstance(m, dict) and m.get("role") == "user"), said)
    return first if isinstance(first, str) else "\n".join(o["text"] for o in tee.objects(first) if isinstance(o.get("text"), str))


def judge_content(where, trace):
    """The files with content and `show` tell the same calls, tokens and failures as the trace."""
    models = trace.models()
    failed = sum(1 for n in models if n["model_call"]["stop_reason"] == "error")
    tokens = trace.summary["total_tokens"]
    calls = trace.of("tool_call")
    expected = {"model calls": len(models) - failed, "tool calls": len(calls), "failed": failed,
                "results": sum(1 for n in calls if trace.children(n))}
    if all(n["model_call"]["input_tokens_source"] == "api" for n in models if n["model_call"]["stop_reason"] != "error"):
        expected.update(input=tokens["input"], output=tokens["output"])
    if not models and not os.path.exists(os.path.join(where, "run.otutl.jsonl")):
        return []  # there is nothing to tell
    otutl, steps = lines_of(where, "run.otutl.jsonl"), lines_of(where, "trajectory.jsonl")
    totals = otutl[-1]["totals"]
    kinds = [o["type"] if o.get("class") != "tool" else "open call" for o in otutl]
    told = {
        "totals of OTUTL": {"model calls": totals["model_steps"], "tool calls": totals["tool_calls"], "results": totals["tool_results"],
                            "input": totals["tokens_in"] or 0, "output": totals["tokens_out"] or 0},
        "records of OTUTL": {"model calls": kinds.count("model_step"), "tool calls": kinds.count("tool_call"),
                             "failed": kinds.count("error"), "results": kinds.count("tool_result")},
        "trajectory": {"model calls": len({s["step"] for s in steps if s.get("role") in ("assistant", "tool_call")}),
                       "tool calls": sum(1 for s in steps if s.get("role") == "tool_call")},
    }
    return [(file, f"{name} {n}, the trace has {expected[name]}")
            for file, figures in told.items() for name, n in figures.items() if n != expected.get(name, n)]


def judge_show(suite, where, trace):
    status, out, err, _ = suite.run(["show", "--json", where])
    if status != 0:
        return [("show", f"exit status {status}: {err[-200:].decode(errors='replace')}")]
    said = harness.json.loads(out)
    counts = {k: n for k, n in said["node_counts"].items() if n}
    tokens = {k: sum(said["tokens"][k].values()) for k in ("input", "output")}
    pairs = (("nodes", counts, dict(trace.kinds())), ("tokens", tokens, trace.summary["total_tokens"]))
    return [(name, f"{shown}, the trace has {had}") for name, shown, had in pairs if shown != had]


def lines_of(where, name):
    with open(os.path.join(where, name), encoding="utf-8") as f:
        return [harness.json.loads(line) for line in f]


# ---- all ----


def play(suite, path, options=()):
    """(what came of the recorder, complaints of both ends)"""
    model = Model(tee.read(path))
    with Upstream(model.answer) as upstream:
        given = {n: upstream.url for n in ("anthropic", "ollama", "gemini")} | {"openai": f"{upstream.url}/v1"}
        done = suite.record(python("clients/tee_client.py", path), given, options, timeout=120)
    bad = [*model.bad, *model.missing()]
    if done.status != 0:
        bad.append(("the client", f"exit status {done.status}: {done.err[-300:]}"))
    else:
        bad += [("the client", c) for c in harness.json.loads(done.out)]
    return done, bad


def clean(suite, where):
    """Complaints of the validator."""
    status, out, err, _ = suite.run(["validate", "--strict", "--secrets", "--warnings-as-errors", where])
    return [] if status == 0 else [("validate", (out + err)[-400:].decode(errors="replace"))]


def check(suite, base, name, truth):
    path = os.path.join(base, name, "tee.jsonl")
    done, bad = play(suite, path)
    wire = Wire(tee.read(path))
    suite.check(f"{name}: requests and answers pass unchanged", bad, len(wire.calls))
    trace = done.trace()
    suite.check(f"{name}: calls ({truth.text})", judge_calls(trace, wire, truth), len(trace.nodes))
    suite.check(f"{name}: tokens", judge_tokens(trace, wire, truth), len(wire.calls))
    suite.check(f"{name}: what followed from what", judge_graph(trace, wire, truth), len(trace.nodes))
    suite.check(f"{name}: show says the same", judge_show(suite, done.where, trace), 1)
    suite.check(f"{name}: valid, and without secrets", clean(suite, done.where), 1)
    kept, bad = play(suite, path, ["--content"])
    suite.check(f"{name}: the same with content", [*bad, *judge_content(kept.where, kept.trace())], 1)


def run_in(suite, base):
    told = tee.truths(os.path.join(base, "README.md"))
    names = sorted(n for n in os.listdir(base) if os.path.exists(os.path.join(base, n, "tee.jsonl")))
    suite.one(f"{os.path.basename(base)} has tees", bool(names), f"{base} has none")
    for name in names:
        check(suite, base, name, told.get(name) or tee.Truth(""))


def run(suite):
    run_in(suite, os.path.join(ROOT, "tests", "data", "record", "tees"))
    base = suite.data("tees of real agents", "agents")
    if base:
        run_in(suite, base)


if __name__ == "__main__":
    place = os.path.abspath(sys.argv.pop(1))
    harness.main({"tees": lambda suite: run_in(suite, place)}, Recording)
