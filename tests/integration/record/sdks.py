"""Real clients through the recorder, against the mock: they are answered the same with and without it, and the trace tells
what they did. The parts of the scripts in clients/ are models here, so that each finds its nodes."""

import json
import os
import shutil
import subprocess
import sys

import harness
from recording import HERE, ROOT, each, python

WORDS = "Grüße 日本 \U0001f30d and then some words, one after the other, until the end"

# Tokens (input, output) that the mock reports for each part's calls, in order, and why each of them stopped.
PLAIN = [(100, 8, "end_turn"), (140, 9, "length")]
ONCE = [(50, 21, "end_turn")]
TOOLS = [(200, 40, "tool_use"), (301, 12, "end_turn")]
ASYNC = [(11, 1, "end_turn"), (12, 2, "end_turn"), (13, 3, "end_turn")]
RETRY = [(0, 0, "error"), (30, 4, "end_turn")]
ERROR = [(0, 0, "error")]


def rule(model, step, text=None, contains=None, **more):
    given, made, _ = step
    match = {"model": model, **({"contains": contains} if contains else {})}
    reply = {"text": text or f"the answer of {model.strip('*-')}", "usage": {"input": given, "output": made}}
    return {"match": match, "reply": {**reply, **more.pop("reply", {})}, **more}


def script():
    """What the mock is told: the first rule that fits is taken."""
    calls = [{"name": "read_file", "arguments": {"x": "a.txt"}}, {"name": "get_forecast", "arguments": {"x": "Friday"}}]
    rules = [
        rule("*-plain", PLAIN[1], contains="plain two", reply={"finish": "length"}),
        rule("*-plain", PLAIN[0], reply={"usage": {"input": 100, "output": 8, "cache_read": 64}}),
        rule("*-stream", ONCE[0], WORDS, pace={"ttft_ms": 60, "itl_ms": 1, "chunk": 3}),
        rule("*-generate", ONCE[0]),
        rule("*-tools", TOOLS[1], contains="SECOND RESULT"),
        rule("*-tools", TOOLS[0], reply={"tool_calls": calls}),
        *(rule("*-async", step, text, contains=text, pace={"ttft_ms": 80}) for step, text in zip(ASYNC, ASKED)),
        rule("*-abort", ONCE[0], WORDS * 9, pace={"ttft_ms": 1, "itl_ms": 40, "chunk": "word"}),
        {"match": {"model": "*-retry", "nth": 1}, "fault": {"status": 500, "headers": {"retry-after-ms": "20"}}},
        rule("*-retry", RETRY[1]),
        {"match": {"model": "*-error"}, "fault": {"status": 400}},
        {"match": {"path": "/embeddings"}},
    ]
    return json.dumps({"schema": "trackway.mock/1", "rules": rules}).encode()


ASKED = ("async one", "async two", "async three")

OPENAI = {
    "chat-plain": PLAIN, "chat-stream": ONCE, "chat-tools": TOOLS, "chat-async": ASYNC, "chat-abort": None,
    "chat-retry": RETRY, "chat-error": ERROR, "responses-plain": PLAIN[:1], "responses-stream": ONCE,
    "responses-tools": TOOLS, "embed-small": [(6, 0, None)],  # counted by the mock
}
ANTHROPIC = {
    "messages-plain": PLAIN, "messages-stream": ONCE, "messages-tools": TOOLS, "messages-async": ASYNC,
    "messages-abort": None, "messages-retry": RETRY, "messages-error": ERROR,
}
CURL = {"chat-plain": PLAIN[:1], "chat-stream": ONCE, "messages-plain": PLAIN[:1]}
OLLAMA = {"ollama-plain": PLAIN[:1], "ollama-stream": ONCE, "ollama-generate": ONCE, "ollama-tools": TOOLS}

STREAMED = {"chat-stream", "chat-tools", "chat-abort", "responses-stream", "messages-stream", "messages-tools",
            "messages-abort", "ollama-stream"}
SAYINGS = {"plain": len(PLAIN), "async": len(ASYNC), "small": 0}  # new messages of a user; one elsewhere


# ---- packages ----


def text_of(name):
    with open(os.path.join(HERE, name), encoding="utf-8") as f:
        return f.read()


def node_packages(where):
    for name in ("package.json", "package-lock.json", ".npmrc"):
        shutil.copy(os.path.join(HERE, name), where)
    return [["npm", "ci", "--loglevel=error", "--no-audit", "--no-fund"]]


# ---- one client ----


def variables(base):
    return {"OPENAI_BASE_URL": f"{base}/v1", "ANTHROPIC_BASE_URL": base, "OLLAMA_HOST": base}


def play(suite, client, rules):
    """Runs a client without and with the recorder; each time the mock is a new one."""
    name, command, more, parts = client
    with suite.mock(rules) as mock:
        alone = subprocess.run(
            command, cwd=suite.place, env=suite.variables({**variables(mock.url), **more}), stdin=subprocess.DEVNULL,
            capture_output=True, timeout=120, check=False,
        )
    with suite.mock(rules) as mock:
        recorded = suite.record(command, mock.url, more=more, timeout=120)
    return name, parts, alone, recorded


def judge(suite, played):
    name, parts, alone, recorded = played
    if alone.returncode != 0:
        suite.check(f"{name} works without the recorder", [(name, alone.stderr[-400:].decode(errors="replace"))], 1)
        return
    same = recorded.status == 0 and recorded.out == alone.stdout
    suite.check(f"{name} is answered the same through the recorder", [] if same else [(name, differ(alone, recorded))], 1)
    suite.check(f"{name} leaves a trace without a finding", [(name, f) for f in suite.strict(recorded.where)], 1)
    trace = recorded.trace()
    said = recorded.out.decode()
    wrong = {"tokens and stop reasons": [], "streams and their clocks": [], "parents": [], "request ids": []}
    for part, steps in parts.items():
        calls = trace.models(part)
        wrong["tokens and stop reasons"] += [(part, w) for w in figures(calls, steps)]
        wrong["streams and their clocks"] += [(part, w) for w in clocks(calls, part)]
        wrong["parents"] += [(part, w) for w in lineage(trace, calls, part)]
        wrong["request ids"] += [(part, w) for w in request_ids(calls, part, said)]
    for what, bad in wrong.items():
        suite.check(f"{name}: {what} are right", bad, len(parts))
    suite.check(f"{name}: nodes are counted right", counts(trace, parts), 1)


def differ(alone, recorded):
    if recorded.status != 0:
        return f"ended with {recorded.status}: {recorded.err[-300:]}"
    for a, b in zip(alone.stdout.splitlines(), recorded.out.splitlines()):
        if a != b:
            return f"{b[:200]!r} and not {a[:200]!r}"
    return f"{len(recorded.out)} bytes and not {len(alone.stdout)}"


def figures(calls, steps):
    if steps is None:  # aborted: what the stream had told by then
        bad = [] if len(calls) == 1 else [f"{len(calls)} calls and not 1"]
        return bad + [f"an aborted stream is not partial: {c}" for c in calls if c["model_call"].get("partial") is not True]
    got = [(m["input_tokens"], m["output_tokens"], m["stop_reason"]) for m in (c["model_call"] for c in calls)]
    if sorted(got, key=str) != sorted(steps, key=str):
        return [f"{got} and not {steps}"]
    return [
        f"{m['input_tokens_source']} tokens" for m in (c["model_call"] for c in calls)
        if m["stop_reason"] != "error" and m["input_tokens_source"] != "api"
    ]


def clocks(calls, part):
    bad = []
    for m in (c["model_call"] for c in calls):
        if m["stream"] is not (part in STREAMED):
            bad.append(f"stream is {m['stream']}")
        first, latency = m["ttft_seconds"], m["latency_seconds"]
        if part in STREAMED and not (first is not None and 0 < first <= latency):
            bad.append(f"ttft {first} of {latency}")
        if part.endswith("-stream") and not (first is not None and first >= 0.055):
            bad.append(f"ttft {first}, though the mock waited 60 ms")
    return bad


def lineage(trace, calls, part):
    """Who comes from whom, messages of users left aside."""
    bad = []
    if part.endswith("-plain") and len(calls) == 2:
        ids = [p and p["node_id"] for p in trace.parents(calls[1], "model_call", "tool_call", "branch", "retry")]
        bad += [] if ids == [calls[0]["node_id"]] else [f"the second turn comes from {ids}"]
    if part.endswith("-tools") and len(calls) == 2:
        bad += joins(trace, calls)
    if part.endswith("-retry") and len(calls) == 2:
        between = trace.parents(calls[1], "retry")
        if len(between) != 1 or not between[0] or between[0]["parent_node_ids"] != [calls[0]["node_id"]]:
            bad.append("no retry node leads from the failure to the next try")
    if part.endswith("-async"):
        linked = [c for c in calls if trace.parents(c, "model_call", "tool_call", "retry")]
        bad += ["calls at the same time come from each other"] if linked else []
    return bad


def joins(trace, calls):
    """Two calls of tools at once: a branch that the first answer opens and the second request joins."""
    branch = trace.children(calls[0], "branch")
    if len(branch) != 1 or branch[0]["branch"]["branch_kind"] != "fan_out":
        return [f"the first answer opens {[b['branch'] for b in branch]}"]
    tools = trace.children(branch[0], "tool_call")
    names = sorted(t["tool_call"]["name"] for t in tools)
    if names != ["get_forecast", "read_file"]:
        return [f"the branch leads to {names}"]
    ids = sorted(t["node_id"] for t in tools)
    bad = [] if sorted(branch[0]["branch"]["siblings"]) == ids else ["siblings are not the calls"]
    if sorted(calls[1]["parent_node_ids"]) != ids:
        bad.append("the second request does not join the calls")
    sizes = {t["tool_call"]["name"]: t["tool_call"]["result_size_bytes"] for t in tools}
    if sizes != {"read_file": len("FIRST RESULT"), "get_forecast": len("SECOND RESULT")}:
        bad.append(f"results of {sizes} bytes")
    return bad + ["a call that was not seen is not marked as inferred" for t in tools if t.get("inferred") is not True]


def request_ids(calls, part, said):
    """Each has one of its own; where the client printed those it was given, they are the same."""
    if part.startswith("ollama"):
        return []  # has none
    ids = [c["model_call"]["request_id"] for c in calls]
    bad = [f"{ids}"] if None in ids or len(set(ids)) < len(ids) else []
    if part in ("chat-plain", "chat-stream", "messages-plain", "messages-stream"):
        bad += [f"{i} is not what the client got" for i in ids if i and i not in said]
    return bad


def counts(trace, parts):
    steps = {p: 1 if s is None else len(s) for p, s in parts.items()}
    tools = sum(p.endswith("-tools") for p in parts)
    want = {
        "model_call": sum(steps.values()),
        "tool_call": 2 * tools,
        "branch": tools,
        "retry": sum(p.endswith("-retry") for p in parts),
        "user_input": sum(min(SAYINGS.get(p.rpartition("-")[2], 1), steps[p]) for p in parts),
    }
    got = trace.kinds()
    bad = [(kind, f"{got[kind]} and not {n}") for kind, n in want.items() if got[kind] != n]
    summary = trace.summary["node_counts"] if trace.summary else {}
    return bad + [("summary", f"{summary} and not {dict(got)}") for kind in got if summary.get(kind) != got[kind]][:1]


# ---- the agent of the examples ----


def agent(suite):
    rules = os.path.join(ROOT, "doc", "examples", "agent-mock.json")
    command = [sys.executable, "-B", os.path.join(ROOT, "doc", "examples", "agent.py")]
    played = play(suite, ("the agent of the examples", command, {}, {}), rules)
    _, _, alone, recorded = played
    same = alone.returncode == 0 and recorded.status == 0 and alone.stdout == recorded.out and b"library" in recorded.out
    suite.one("the agent of the examples gives the same answer", same, f"{recorded.out!r}, {recorded.err[-300:]}")
    suite.check("its trace is without a finding", [("agent", f) for f in suite.strict(recorded.where)], 1)
    trace = recorded.trace()
    calls, tools = trace.models(), trace.of("tool_call")
    got = [(c["model_call"]["input_tokens"], c["model_call"]["output_tokens"], c["model_call"]["stop_reason"]) for c in calls]
    want = [(214, 46, "tool_use"), (352, 31, "tool_use"), (421, 27, "end_turn")]
    suite.one("its three calls have the tokens of the script", got == want, f"{got}")
    names = sorted(t["tool_call"]["name"] for t in tools)
    suite.one("its three tools are there", names == ["get_forecast", "read_file", "read_file"], f"{names}")
    slow = [t["tool_call"]["wall_time_seconds"] for t in tools if t["tool_call"]["name"] == "get_forecast"]
    suite.one("the slow tool took its time", slow and 0.24 < slow[0] < 2, f"{slow}")
    if len(calls) == 3 and len(tools) == 3:
        last = trace.parents(calls[2], "tool_call")
        right = len(last) == 1 and trace.parents(last[0]) == [calls[1]]
        suite.one("a single tool stands between two calls", right, f"{calls[2]['parent_node_ids']}")
    suite.one("its run has a summary of success", trace.summary and trace.summary["exit_status"] == "success", f"{trace.summary}")


def run(suite):
    rules = suite.write(suite.directory("script"), "mock.json", script())
    clients = []
    program = harness.python_packages(suite, "record-python", text_of("requirements.txt"), "--no-deps")
    if program:
        for name, parts in (("openai", OPENAI), ("anthropic", ANTHROPIC)):
            path = os.path.join(HERE, "clients", f"{name}_sdk.py")
            clients.append((f"the {name} package of Python", [program, "-B", path], {}, parts))
    if not shutil.which("node") or not shutil.which("npm"):
        suite.skip("node's packages", "node and npm are not both installed")
    else:
        where = harness.packages(suite, "record-node", text_of("package-lock.json"), node_packages)
        for name, parts in (("openai", OPENAI), ("anthropic", ANTHROPIC)) if where else ():
            path = os.path.join(HERE, "clients", f"{name}_sdk.mjs")
            clients.append((f"the {name} package of Node", ["node", path], {"CLIENT_PACKAGES": where}, parts))
    if shutil.which("curl"):
        clients.append(("curl", ["sh", os.path.join(HERE, "clients", "curl.sh")], {}, CURL))
    else:
        suite.skip("curl", "curl is not installed")
    clients.append(("ollama's API", python(os.path.join("clients", "ollama.py")), {}, OLLAMA))
    for played in each(lambda c: play(suite, c, rules), clients, 2):
        judge(suite, played)
    agent(suite)
