"""
Real agents on the example tasks, as `trackway trial run` runs them: in the sandbox, against the mock. Each trial must be
judged by what the agent really did, and be sealed complete.
"""

import json
import os
import subprocess
import sys

from recording import ROOT

TASKS = os.path.join(ROOT, "doc", "examples", "trials")
MARK = "TOOLMARK-42"
WORK = {  # what is in a task's instruction: the command that solves it
    "expenses.csv": "awk -F, '{ sum += $3 } END { printf \"%.2f\\n\", sum }' expenses.csv >output.txt",
    "names.txt": "sort -u names.txt >output.txt",
    "greet.sh": "printf '%s\\n' '#!/bin/sh' 'echo \"Hello, ${1:-world}!\"' >greet.sh",
}


def rules(tool, more, last):
    """The mock asks for the task's command; when that was done it says so, or asks for a last command."""
    usage = {"input": 1300, "output": 33}
    done = {"text": "It is done.", "usage": {"input": 1500, "output": 7}}
    if last:
        done["tool_calls"] = [{"name": tool, "arguments": {"command": last, **more}}]

    def call(command):
        return {"text": "I will do it.", "tool_calls": [{"name": tool, "arguments": {"command": f"{command}; printf {MARK[:9]}%d 42", **more}}],
                "usage": usage}

    return {"schema": "trackway.mock/1", "rules": [
        {"match": {"contains": "title generator"}, "reply": {"text": "A title"}},
        {"match": {"last": MARK}, "reply": done},
        *({"match": {"contains": name}, "reply": call(command)} for name, command in WORK.items()),
    ]}


def run(suite, agent, programs, command, tool, more=None, last=None):
    """agent: its row in check.py; command: for a shell inside the sandbox; tool: what it calls its shell."""
    place = suite.directory("trial")
    script = suite.write(place, "mock.json", json.dumps(rules(tool, more or {}, last)).encode())
    ledger = os.path.join(place, "ledger")
    _, environment = suite.surroundings(agent, programs, {})
    environment["TRACKWAY_KEYS"] = os.path.join(place, "keys")

    def call(*words):
        return subprocess.run([suite.program, *words], env=environment, cwd=place, stdin=subprocess.DEVNULL, capture_output=True,
                              text=True, timeout=600, check=False)

    call("ledger", "init", "--ledger", ledger, "--origin", "example.com/agents")
    packages = os.path.dirname(programs)
    os.chmod(packages, 0o755)  # in the sandbox another user reads it
    with suite.mock(script) as mock:
        ups = [w for name in ("openai", "anthropic") for w in ("--upstream", f"{name}={mock.url}")]
        done = call("trial", "run", *(os.path.join(TASKS, t) for t in ("total", "sort", "repair")), "--agent", command,
                    "--model", "claude-sonnet-4-5", "--allow-read", packages, "--allow-read", sys.base_prefix, "--ledger", ledger,
                    "--adapter", agent.name, *ups, "--json")
    if not suite.one(f"{agent.name}: its trials run", done.returncode == 0, f"{done.returncode}: {done.stdout[-600:]} {done.stderr[-600:]}"):
        return
    answer = json.loads(done.stdout)
    ends = [(t["task_id"], t["class"], t["reward"], t["completeness"], t["error"]) for t in answer["trials"]]
    suite.check(f"{agent.name}: each trial is solved and sealed complete at isolation {answer['isolation']}",
                [(e[0], (e[1:], said(answer, e[0]))) for e in ends if e[1:] != ("completed", 1.0, "complete", None)], len(ends))
    records = [json.loads(call("ledger", "show", t["trial_id"], "--ledger", ledger, "--only", "record").stdout) for t in answer["trials"]]
    suite.check(f"{agent.name}: each record has its transcript, its tokens and its models",
                [(r["task"]["task_id"], bad) for r in records for bad in wrong(r)], len(records))
    status = call("ledger", "verify", "--ledger", ledger)
    suite.one(f"{agent.name}: the ledger verifies", status.returncode == 0, status.stderr)


def said(answer, task):
    """The end of what an agent printed."""
    trial = next(t["trial_id"] for t in answer["trials"] if t["task_id"] == task)
    with open(os.path.join(answer["job"], trial, "agent.log"), encoding="utf-8", errors="replace") as f:
        return f.read()[-400:]


def wrong(record):
    """What is missing in a record of an agent that called a model and a tool."""
    ours = record["outputs"]["agent_result"]["trackway"]
    if not record["outputs"]["trajectory_path"] or not record["outputs"]["conversation_path"]:
        yield f"transcripts: {record['outputs']}"
    if ours["model_calls"] < 2 or ours["failed_calls"] or not ours["models"]:
        yield f"calls: {ours['model_calls']}, failed {ours['failed_calls']}, models {ours['models']}"
    if (record["cost"] or {}).get("tokens_in", 0) < 2800:
        yield f"cost: {record['cost']}"
    if ours["findings"]:
        yield f"findings: {ours['findings']}"
