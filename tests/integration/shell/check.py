"""Runs the acts and agents of this directory with shims and without, and compares. Called by run."""

import json
import os
import shutil
import statistics
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[1:1] = [os.path.join(HERE, "..", "record"), os.path.join(HERE, "..", "validate")]

import harness
from recording import Recording

ACTS = os.path.join(HERE, "acts.py")
CALLS = 4
COST = """
import os, statistics, subprocess, sys, time
def run(program, **how):
    begun = time.perf_counter()
    subprocess.run([program], stdin=subprocess.DEVNULL, **how)
    return (time.perf_counter() - begun) * 1e3
real, shim = sys.argv[1], os.environ["TRACKWAY_SHELL_DIR"] + "/uname"
for how in ({"stdout": subprocess.DEVNULL}, {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}):
    both = [(run(real, **how), run(shim, **how)) for _ in range(200)]
    print(*(f"{statistics.median(t):.3f}" for t in zip(*both)))
"""


def script(calls):
    """The mock: this many calls one after the other, each of which writes its own times."""
    rules = [{"match": {"last": f"MARK-{calls}"}, "reply": {"text": "FINALWORD"}}]
    for i in reversed(range(calls)):
        command = f"date +%s.%N >>log; sleep 0.{i % 3 + 1}; date +%s.%N >>log; echo canary-output MARK-{i + 1}"
        rule = {"reply": {"tool_calls": [{"name": "run_shell_command", "arguments": {"command": command}}]}}
        if i:
            rule["match"] = {"last": f"MARK-{i}"}
        rules.append(rule)
    return json.dumps({"schema": "trackway.mock/1", "rules": rules})


def acts_of(text):
    return dict(json.loads(line) for line in text.decode().splitlines())


def compare(suite, title, options=(), more=None):
    more = {"SHELL": "/bin/bash", **(more or {})}
    alone = subprocess.run(["python3", ACTS], env=suite.variables(more), stdout=subprocess.PIPE, cwd=suite.place, check=True)
    recorded = suite.record(["python3", ACTS], options=["-q", "--shell", *options], more=more, timeout=300 * harness.SLOWER)
    want, got = acts_of(alone.stdout), acts_of(recorded.out)
    bad = [(n, f"{got.get(n)!r:.300}, and not {w!r:.300}") for n, w in want.items() if got.get(n) != w]
    suite.check(title, bad, len(want))
    return recorded


def acts(suite):
    compare(suite, "what commands do is what they do without shims")


def content(suite):
    recorded = compare(suite, "and where content is kept", ["--content"])
    with open(os.path.join(recorded.where, "cassette.jsonl"), encoding="utf-8") as f:
        lines = [json.loads(line) for line in f]
    shell = [x for x in lines if x.get("lane") == "shell"]
    ids = {x["command"] for x in shell}
    bad = [(x["x"], f"{x}"[:200]) for x in shell if x["parent"] and x["parent"] not in ids and x["resp"]["signal"] != 9]
    suite.check("each command of the cassette is inside one that is there", bad, len(shell))
    sizes = [(x["x"], f"{len(t)} {x['resp']}"[:200]) for x in shell if not x["resp"].get("cut")
             for t in ["".join(p[1] for p in x["resp"]["io"] if isinstance(p[1], str))]
             if all(isinstance(p[1], str) for p in x["resp"]["io"]) and x["resp"]["stdout_size"] is not None
             and x["resp"]["stderr_size"] is not None
             and len(t.encode()) != x["resp"]["stdout_size"] + x["resp"]["stderr_size"]]
    suite.check("what is kept has the size that was counted", sizes, len(shell))


def shells(suite):
    command = "x=1; echo $((x+1)); cat /no/such; (exit 3); echo $?; true | cat; exit 4"
    for name in ("bash", "dash", "zsh", "ksh", "fish", "sh"):
        path = shutil.which(name)
        if not path:
            suite.skip(name, "it is not installed")
            continue
        if name == "fish":
            command = "echo 2; false; echo $status; exit 4"
        agent = ["sh", "-c", '"$SHELL" -c "$1"; echo $?', "-", command]
        alone = subprocess.run(agent, env=suite.variables({"SHELL": path}), capture_output=True, check=False)
        recorded = suite.record(agent, options=["-q", "--shell"], more={"SHELL": path})
        suite.one(f"{name} as the user's shell", recorded.out == alone.stdout and b"4\n" in alone.stdout,
                  f"{recorded.out} and not {alone.stdout}")


def ask(suite, title, command, known=("shell", "proxy"), more=None, options=()):
    """Records an agent; its calls have the times that the commands wrote down."""
    rules = suite.write(suite.directory("script"), "mock.json", script(CALLS))
    work = suite.directory("work")
    with suite.mock(rules) as mock:
        recorded = suite.record(["sh", "-c", 'cd "$0" && exec "$@"', work, *command], {"openai": f"{mock.url}/v1"},
                                ["-q", "--shell", *options], {"SHELL": "/bin/bash", **(more or {})})
    suite.one(f"{title}: it ends well", recorded.status == 0 and b"FINALWORD" in recorded.out, f"{recorded.out} {recorded.err}")
    tools = recorded.trace().of("tool_call")
    with open(os.path.join(work, "log"), encoding="ascii") as f:
        log = [float(line) for line in f]
    own = [b - a for a, b in zip(log[::2], log[1::2])]
    suite.one(f"{title}: a node for each call, and no other", len(tools) == CALLS == len(own), f"{len(tools)} nodes")
    bad = [(t["node_id"], t["known_by"]) for t in tools if tuple(t["known_by"]) != known]
    suite.check(f"{title}: each is known by {', '.join(known)}", bad, len(tools))
    over = [(t["tool_call"]["wall_time_seconds"] - o) * 1e3 for t, o in zip(tools, own)]
    suite.one(f"{title}: times are the commands' own", all(-20 < x < 3000 * harness.SLOWER for x in over), f"{over} ms")
    suite.note(f"longer by {statistics.median(over):.1f} ms (median), {max(over):.1f} ms at most")
    bad = [(t["node_id"], t["tool_call"]) for t in tools
           if not t["tool_call"]["wall_time_seconds"] * 0.5 < (t["tool_call"]["stall_seconds"] or 0) < t["tool_call"]["wall_time_seconds"]]
    suite.check(f"{title}: what only sleeps stalls", bad, len(tools))
    suite.check(f"{title}: the trace is without a finding", [(title, f) for f in suite.strict(recorded.where)], 1)
    return recorded


def calls(suite):
    python = os.path.join(HERE, "agent.py")
    ask(suite, "Python, a list of words", ["python3", python, "argv"])
    ask(suite, "Python, the user's shell", ["python3", python, "env"])
    ask(suite, "Python, a shell that is not seen", ["python3", python, "shell"])
    if shutil.which("node"):
        ask(suite, "Node", ["node", os.path.join(HERE, "agent.js")])
    else:
        suite.skip("Node", "node is not installed")


def canary(suite):
    recorded = ask(suite, "canary", ["python3", os.path.join(HERE, "agent.py"), "argv"], more={"CANARY_KEY": "canary-secret"})
    bad = []
    for path in harness.files_under(recorded.where, ""):
        with open(path, "rb") as f:
            text = f.read()
        bad += [(path, word) for word in (b"canary", b"MARK-", b"date +%s", b"/bin/") if word in text]
    bad += [("standard error", recorded.err)] if "canary" in recorded.err else []
    suite.check("nothing that was said or run is written", bad, 1)
    recorded = suite.record(["bash", "-c", "bash -c 'env; echo $CANARY_KEY'"], options=["-q", "--shell", "--content"],
                            more={"CANARY_KEY": "canary-secret"})
    with open(os.path.join(recorded.where, "cassette.jsonl"), "rb") as f:
        text = f.read()
    suite.one("keys of the environment are not kept with the content",
              b"CANARY_KEY" in text and b"canary-secret" not in text and b'"masked":true' in text, text[:300])


def nested(suite):
    inner = os.path.join(suite.directory("inner"), "run")
    recorded = suite.record(["sh", "-c", f'"{suite.program}" record -q --shell -o {inner} -- sh -c "bash -c \'exit 3\'; git --version"'],
                            options=["-q", "--shell"], more={"SHELL": "/bin/bash"})
    with open(os.path.join(inner, "agent-trace.jsonl"), encoding="utf-8") as f:
        names = [n["tool_call"]["name"] for n in map(json.loads, f) if n.get("kind") == "tool_call"]
    suite.one("commands of a run inside another are that one's", names == ["bash", "git"], f"{names}")
    outer = [n["tool_call"]["name"] for n in recorded.trace().of("tool_call")]
    suite.one("and not the outer one's", outer == [], f"{outer}")


def cost(suite):
    real = shutil.which("uname")
    recorded = suite.record(["python3", "-c", COST, real], options=["-q", "--shell"], timeout=120 * harness.SLOWER)
    rows = [[float(x) for x in line.split()] for line in recorded.out.decode().splitlines()]
    for where, (alone, shim) in zip(("nowhere", "pipes"), rows):
        suite.note(f"output to {where}: {alone:.2f} ms without, {shim:.2f} ms with a shim")
    suite.one("a shim does not hold a command up", len(rows) == 2 and all(b - a < 1000 * harness.SLOWER for a, b in rows), f"{rows}")


SETS = {f.__name__: f for f in (acts, content, shells, calls, canary, nested, cost)}

if __name__ == "__main__":
    harness.main(SETS, Recording)
