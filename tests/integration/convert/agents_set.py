"""Logs that real agents left, held against what the model's side saw of the same runs (data/agents, tee.jsonl).

The recording is counted here, without our reader: answers that were given, calls asked for in them, tokens. Then our
reading of the recording and our reading of the agent's own log must both say so. agents.tsv names what an agent's log
leaves out.
"""

import json
import os

from converting import table

FIELDS = ("steps", "calls", "input", "output")


def events_of(text):
    """The values of an answer: one document, JSON lines or server-sent events."""
    try:
        whole = json.loads(text)
        return whole if isinstance(whole, list) else [whole]
    except ValueError:
        pass
    found = []
    for line in text.splitlines():
        line = line[5:].strip() if line.startswith("data:") else line.strip()
        if line.startswith("{"):
            found.append(json.loads(line))
    return found


def anthropic(events):
    usage, calls = {}, 0
    for e in events:
        if not str(e.get("type")).startswith(("message", "content_block")):
            continue
        message = e.get("message") if e.get("type") == "message_start" else e if e.get("type") == "message" else {}
        for part in (message.get("usage"), e.get("usage")):
            usage.update({k: v for k, v in (part or {}).items() if isinstance(v, int)})
        calls += e.get("content_block", {}).get("type") == "tool_use"
        calls += sum(b.get("type") == "tool_use" for b in message.get("content") or [])
    if not usage:
        return None
    cached = usage.get("cache_read_input_tokens", 0) + usage.get("cache_creation_input_tokens", 0)
    return calls, usage.get("input_tokens", 0) + cached, usage.get("output_tokens", 0)


def chat(events):
    usage, ids, seen = None, set(), False
    for n, e in enumerate(events):
        usage = e.get("usage") or usage
        for choice in e.get("choices") or []:
            seen = True
            for call in (choice.get("delta") or choice.get("message") or {}).get("tool_calls") or []:
                ids.add(call.get("index", n))
    if not seen:
        return None
    usage = usage or {}
    return len(ids), usage.get("prompt_tokens", 0), usage.get("completion_tokens", 0)


def responses(events):
    for e in events:
        body = e.get("response") if e.get("type") in ("response.completed", "response.incomplete") else e
        if body.get("object") == "response" and body.get("usage") and body.get("status") != "in_progress":
            calls = sum(i.get("type", "").endswith("_call") for i in body.get("output") or [])
            usage = body["usage"]
            return calls, usage["input_tokens"], usage["output_tokens"]
    return None


def gemini(events):
    usage, calls = None, 0
    for e in events:
        usage = e.get("usageMetadata") or usage
        for candidate in e.get("candidates") or []:
            calls += sum("functionCall" in p for p in (candidate.get("content") or {}).get("parts") or [])
    if not usage:
        return None
    thoughts = usage.get("thoughtsTokenCount", 0)
    return calls, usage.get("promptTokenCount", 0), usage.get("candidatesTokenCount", 0) + thoughts


def wire(path):
    """What the recording comes to, by FIELDS."""
    total = [0, 0, 0, 0]
    with open(path, encoding="utf-8") as f:
        for line in f:
            row = json.loads(line)
            if row["status"] != 200 or row["method"] not in ("POST", "WS") or '"generate": false' in row["body"]:
                continue
            events = events_of(row["rbody"])
            found = next((x for x in (read(events) for read in (anthropic, responses, gemini, chat)) if x), None)
            if found:
                total = [a + b for a, b in zip(total, (1,) + found)]
    return tuple(total)


def ours(suite, path):
    """The same of a log or a directory, by what convert writes; and what it said."""
    status, out, said = suite.call(["convert", path, "--to", "otutl"])
    steps = calls = tokens_in = tokens_out = 0
    for r in map(json.loads, out.splitlines()):
        steps += r["type"] == "model_step"
        calls += r["type"] == "tool_call"
        if r["type"] == "cost":
            tokens_in += r.get("tokens_in") or 0
            tokens_out += r.get("tokens_out") or 0
    return (steps, calls, tokens_in, tokens_out), status, said


def run(suite):
    base = os.path.join(suite.shared, "data", "agents")
    if not os.path.isdir(base):
        suite.skip("agents", "data/agents is not there")
        return
    known = {row[0]: row for row in table("agents.tsv", 3)}
    on_wire, in_logs, used, n = [], [], set(), 0
    for name in sorted(os.listdir(base)):
        tee, session = os.path.join(base, name, "tee.jsonl"), os.path.join(base, name, "session")
        if not os.path.exists(tee):
            continue
        want = wire(tee)
        got, _, said = ours(suite, tee)
        if got != want:
            on_wire.append((name, f"{got} and not {want}: {said[:100]}"))
        if not os.path.isdir(session):
            continue
        n += 1
        got, _, said = ours(suite, session)
        if name in known and known[name][1] == " ".join(map(str, got)):
            used.add(name)
            suite.note(f"reviewed: {name}: {got} and not {want}: {known[name][2]}")
        elif got != want:
            in_logs.append((name, f"{got} and not {want}: {said[:200]}"))
    suite.check(f"agents: recordings have the {', '.join(FIELDS)} that stand in them", on_wire, n)
    suite.check("agents: their own logs say the same", in_logs, n)
    suite.check("agents: every exception is needed", [(k, "is not") for k in known if k not in used], len(known))
