"""Totals of logs, the logs of real agents, and the pieces of results."""

import json
import os

# What each log states: input and output tokens (data/agents/README.md).
STATED = {
    "claude-json/stdout": (2800, 54),
    "claude-sub/stdout": (3806, 88),
    "codex-7-sub/stdout": (5650, 78),
    "gemini-gem/session/session-2026-11-16T18-57-586e358e.jsonl": (2800, 66),
    "qwen-1/session/5aff8f83-4011-4690-81ec-0320ce7e392a.jsonl": (2800, 54),
}
# Logs that are like ours and are not: which word must name them.
REFUSED = {
    "gptme-openai/session/logs/2026-11-16-dancing-pink-robot/events.jsonl": "journal of a gptme conversation",
    "cn-cfg/session/sessions.json": "Continue",
}


def lines_of(data):
    return [json.loads(line) for line in data.splitlines()]


def tokens_of_trace(events):
    nodes = [e["model_call"] for e in events if e.get("kind") == "model_call"]
    return sum(n["input_tokens"] for n in nodes), sum(n["output_tokens"] for n in nodes)


def tokens_of_log(records):
    ends = [r["totals"] for r in records if r["type"] == "run_end"]
    return sum(t["tokens_in"] or 0 for t in ends), sum(t["tokens_out"] or 0 for t in ends)


def wrong_trace(s):
    """The trace of a log has the log's totals, and its total_only nodes are no calls that took time."""
    with open(s.trace, "rb") as f:
        events = lines_of(f.read())
    log, trace = tokens_of_log(s.records()), tokens_of_trace(events)
    if log != trace:
        return (s.name, f"the log has {log} tokens, the trace {trace}")
    for e in events:
        if e.get("total_only") and (e["timestamp_start"] != e["timestamp_end"] or e.get("inferred") is not True):
            return (s.name, f"{e['node_id']} looks like a call")
    if s.vendor.startswith("claude_code"):
        parents = {p for e in events for p in e.get("parent_node_ids", [])}
        lost = [e["node_id"] for e in events if e.get("kind") == "user_input" and e["node_id"] not in parents]
        made_up = [e for e in events if e.get("kind") == "model_call" and e["model_call"]["endpoint"] != "unknown"]
        if lost or made_up:
            return (s.name, f"{len(lost)} user inputs lead nowhere, {len(made_up)} endpoints are made up")
    return None


def check_agents(suite):
    base = os.path.join(suite.shared, "data", "agents")
    if not os.path.isdir(base):
        suite.skip("logs", "data/agents is not there")
        return
    bad = []
    for name, want in STATED.items():
        path = os.path.join(base, name)
        _, log, _ = suite.call(["convert", path, "--to", "otutl"])
        _, trace, _ = suite.call(["convert", path, "--to", "agent-trace"])
        got = tokens_of_log(lines_of(log)), tokens_of_trace(lines_of(trace))
        if got != (want, want):
            bad.append((name, f"{got} and not {want}"))
    suite.check("logs: totals are those that the log states", bad, len(STATED))
    bad = []
    for name, word in REFUSED.items():
        status, _, said = suite.call(["convert", os.path.join(base, name), "--to", "otutl"])
        if status != 3 or word not in said:
            bad.append((name, f"exit {status}: {said[:100]}"))
    suite.check("logs: those of others are refused by name", bad, len(REFUSED))


def check_inspect(suite):
    base = os.path.join(suite.shared, "data", "fresh", "inspect-half")
    files = [os.path.join(d, f) for d, _, names in os.walk(base) for f in names]
    if not files:
        suite.skip("logs: Inspect", "data/fresh/inspect-half is not there")
        return
    bad = []
    for path in files:
        status, out, said = suite.call(["convert", path, "--to", "otutl"])
        runs = sum(r["type"] == "run_start" for r in lines_of(out))
        if status != 0 or runs != 2:
            bad.append((os.path.basename(path), f"exit {status}, {runs} runs: {said[:100]}"))
    suite.check("logs: an Inspect log with NaN is read", bad, len(files))


def check_chunks(suite, samples):
    told = [s for s in samples if s.vendor in ("claude_code_session", "codex_rollout", "codex_exec_json")]

    def chunked(s):
        _, out, _ = suite.call(["convert", s.path, "--to", "otutl", "--chunks"])
        bad, n = None, 0
        for r in lines_of(out):
            chunks = r.get("chunks") if r["type"] == "tool_result" else None
            if chunks is None:
                continue
            n += 1
            text = "".join(c["data"] for c in chunks)
            if isinstance(r["result"], str) and text != r["result"]:
                bad = (s.name, f"the chunks of {r['call_id']} are not its result")
        return n, bad

    found = suite.each(chunked, told)
    suite.check("logs: chunks add up to their results", [bad for _, bad in found if bad], len(told))
    some = sum(n for n, _ in found)
    suite.check("logs: there are chunks", [] if some else [("--chunks", "not one result has any")], some)


def run(suite):
    check_agents(suite)
    check_inspect(suite)
    done = [s for s in suite.samples() if s.out and s.trace]
    suite.check("logs: the totals of a trace are the log's", [w for w in suite.each(wrong_trace, done) if w], len(done))
    check_chunks(suite, done)
