"""Loaders of Claude Code sessions that others wrote: Hugging Face's datasets (its agent traces) and claude-code-log."""

import json
import os
import subprocess

from harness import python_packages

WANTED = "datasets==5.2.0\nteich==0.3.6\nclaude-code-log==1.7.0\n"
SAMPLES = 120  # for datasets, which takes a second for some; claude-code-log is given all of them
COUNT = r"""
import contextlib, io, json, os, sys
from pathlib import Path

LOADER, out = sys.argv[1], sys.stdout

def session(path):
    from claude_code_log.converter import load_transcript
    calls, results, answers = set(), 0, {}
    for e in load_transcript(Path(path), silent=True):
        message = getattr(e, "message", None)
        blocks = getattr(message, "content", None)
        for b in blocks if isinstance(blocks, list) else []:
            calls |= {b.id} if b.type == "tool_use" else set()
            results += b.type == "tool_result"
        usage = getattr(message, "usage", None)
        if usage:
            parts = (usage.input_tokens, usage.cache_read_input_tokens, usage.cache_creation_input_tokens)
            answers[message.id] = (sum(n or 0 for n in parts), usage.output_tokens or 0)
    sums = [sum(a[i] for a in answers.values()) for i in (0, 1)]
    return {"calls": len(calls), "results": results, "input": sums[0], "output": sums[1]}

def trace(path):
    from datasets import disable_progress_bars, load_dataset
    disable_progress_bars()
    rows = load_dataset("json", data_files=path, split="train", cache_dir=os.environ["HF_HOME"])
    row = rows[0]
    return {"rows": len(rows), "harness": row.get("harness"), "session": row.get("session_id"), "calls": row.get("num_tool_calls")}

for line in sys.stdin:
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            told = {"session": session, "trace": trace}[LOADER](json.loads(line))
    except Exception as e:
        told = {"failed": f"{type(e).__name__}: {str(e)[:200]}"}
    print(json.dumps(told), file=out, flush=True)
"""


class Loader:
    """A process that counts in one file after the other, without a network."""

    def __init__(self, suite, python, which):
        home = suite.directory("hugging-face")
        env = {**os.environ, "HF_HOME": home, "HF_HUB_OFFLINE": "1", "HF_DATASETS_OFFLINE": "1", "HOME": home}
        self.child = subprocess.Popen([python, "-c", COUNT, which], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                      stderr=subprocess.DEVNULL, env=env, text=True)

    def count(self, path):
        self.child.stdin.write(json.dumps(path) + "\n")
        self.child.stdin.flush()
        return json.loads(self.child.stdout.readline() or '{"failed": "it ended"}')

    def close(self):
        self.child.stdin.close()
        self.child.wait()


def counts(records):
    """
    What the OTUTL log of the same file says. None where several runs are in it, which share no session, and for a log
    that is damaged on purpose: calls without an id, or of one id, two results of one, or a result of none.
    """
    calls = [r["call_id"] for r in records if r["type"] == "tool_call"]
    answered = [r["call_id"] for r in records if r["type"] == "tool_result"]
    if sum(r["type"] == "run_start" for r in records) != 1 or not all(calls) or len(set(answered)) < len(answered):
        return None
    ends = [r["call_id"] for r in records if r["type"] == "error" and r.get("call_id")]
    if len(set(calls)) < len(calls) or set(answered) - set(calls) or set(answered) & set(ends):
        return None
    answered += [r for r in records if r["type"] == "error" and r.get("call_id") and r.get("code") != "no_result"]
    usage = [r.get("usage") or {} for r in records if r["type"] == "model_step"]
    known = [u for u in usage if any(u.get(k) is not None for k in ("input_tokens", "output_tokens"))]
    both = [sum(u.get(k) or 0 for u in known) for k in ("input_tokens", "output_tokens")]
    return {"calls": len(calls), "results": len(answered), "input": both[0], "output": both[1]}


def compare(told, want):
    if "failed" in told:
        return told["failed"]
    return ", ".join(f"{k} {told[k]} and not {want[k]}" for k in want if told[k] != want[k]) or None


def check_session(suite, loader, s):
    out = s.made["claude-code"] + ".otutl"
    if suite.convert(s.path, "otutl", out) != 0:
        return None
    with open(out, encoding="utf-8") as f:
        want = counts([json.loads(line) for line in f])
    os.unlink(out)
    wrong = compare(loader.count(s.made["claude-code"]), want) if want else None
    return (s.name, wrong) if wrong else None


def check_trace(loader, s):
    """One row, recognised as a trace of Claude Code, with the calls that stand in the file."""
    lines = s.documents("claude-code")
    blocks = [b for d in lines if d["type"] == "assistant" for b in d["message"]["content"]]
    want = {"rows": 1, "harness": "claude_code", "session": lines[0]["sessionId"]}
    want["calls"] = sum(b["type"] == "tool_use" for b in blocks)
    wrong = compare(loader.count(s.made["claude-code"]), want)
    return (s.name, wrong) if wrong else None


def contents(s):
    """The kinds of contents in a session: str, list."""
    return {type(d["message"]["content"]) for d in s.documents("claude-code") if d["type"] in ("user", "assistant")}


def run(suite):
    python = python_packages(suite, "readers-sessions", WANTED)
    if not python:
        return
    samples = [s for s in suite.samples("claude-code") if contents(s)]
    loader = Loader(suite, python, "session")
    bad = [hit for hit in (check_session(suite, loader, s) for s in samples) if hit]
    loader.close()
    suite.check("sessions: claude-code-log counts what OTUTL says", bad, len(samples))
    # what has no prompt as a text is a table like any other to datasets
    samples = [s for s in samples if contents(s) == {str, list}]
    some = samples[:: max(1, len(samples) // SAMPLES)]
    loader = Loader(suite, python, "trace")
    bad = [hit for hit in (check_trace(loader, s) for s in some) if hit]
    loader.close()
    suite.check("sessions: datasets loads them as agent traces", bad, len(some))
