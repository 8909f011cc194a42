"""
Claude Code with our hooks, against the mock: every tool call once, known by hook and proxy, with the times that the
tools themselves note, and what follows from what. Nothing that hooks are told of is in the trace.
"""

import json
import os
import shutil
import signal
import statistics
import subprocess

import harness
from recording import Recorded
from tee import Tee

HERE = os.path.dirname(os.path.abspath(__file__))
CANARY = "zqhooked7bird"  # in prompts, arguments, results and paths
DONE = "FINALWORD all done."
TELEMETRY = {"CLAUDE_CODE_ENABLE_TELEMETRY": "1", "OTEL_LOGS_EXPORTER": "otlp", "OTEL_METRICS_EXPORTER": "none",
             "OTEL_LOGS_EXPORT_INTERVAL": "500", "DISABLE_TELEMETRY": ""}
ALLOWED = "Bash,Read,Task,Agent,mcp__clock__rest"


def shell(name, log, seconds=0.2):
    """A command that notes when it began and ended."""
    command = f"echo {name} begin $EPOCHREALTIME >>{log}; sleep {seconds}; echo {name} end $EPOCHREALTIME >>{log}; echo {CANARY}"
    return {"name": "Bash", "arguments": {"command": command, "description": CANARY}}


def rest(name):
    return {"name": "mcp__clock__rest", "arguments": {"name": name}}


def read(path):
    return {"name": "Read", "arguments": {"file_path": path}}


def agent(name):
    return {"name": "Task", "arguments": {"description": "a part", "prompt": f"SUBTASK {name} {CANARY}", "subagent_type": "general-purpose"}}


def rule(match, text, calls=None):
    reply = {"text": text, "usage": {"input": 1300, "output": 33}, **({"tool_calls": calls} if calls else {})}
    return {"match": match, "reply": reply}


def commands(log, _):
    """Commands one after the other and at once, of different lengths."""
    return {"schema": "trackway.mock/1", "rules": [
        rule({"contains": "run it", "nth": 1}, "one", [shell("b1", log, 0.4), shell("b2", log, 0.7), shell("b3", log, 0.1)]),
        *[rule({"contains": "run it", "nth": n}, "more", [shell(f"b{n + 2}", log, n / 20)]) for n in range(2, 10)],
        rule({"contains": "run it"}, DONE),
        rule({}, "other"),
    ]}


def rules(log, file):
    return {"schema": "trackway.mock/1", "rules": [
        rule({"last": "SUBTASK one"}, "I do.", [shell("sub1", log)]),
        rule({"last": "SUBTASK two"}, "I do.", [rest("sub2")]),
        rule({"contains": "SUBTASK"}, "a part is done"),
        rule({"contains": "run it", "nth": 1}, "one", [shell("b1", log), rest("r1"), read(file)]),
        rule({"contains": "run it", "nth": 2}, "two", [*[rest(f"r{n}") for n in range(2, 10)], read("absent")]),
        rule({"contains": "run it", "nth": 3}, "three", [agent("one"), agent("two")]),
        rule({"contains": "run it"}, DONE),
        rule({}, "other"),
    ]}


class Scene:
    """One run of it; more: files in its home and variables. With `listens` the recorder is beside it, and not around it."""

    def __init__(self, suite, agent_row, programs, files=None, variables=None, listens=False, allowed=ALLOWED, options=(), script=rules):
        self.work, environment = suite.surroundings(agent_row, programs, files or {})
        self.home = environment["HOME"]
        environment["SHELL"] = shutil.which("bash")  # Claude Code runs commands in it, and ours ask it for the time
        log = self.log = os.path.join(self.home, "tools.log")
        servers = {"mcpServers": {"clock": {"command": "python3", "args": ["-B", os.path.join(HERE, "clock_server.py"), log + ".mcp"]}}}
        config = suite.write(self.home, "mcp.json", json.dumps(servers).encode())
        file = suite.write(self.work, f"{CANARY}.txt", f"{CANARY}\n".encode())
        self.options = options
        script = suite.write(self.home, "mock.json", json.dumps(script(log, file)).encode())
        where = os.path.join(suite.directory("run"), "out")
        command = ["claude", "-p", f"run it {CANARY}", "--mcp-config", config, "--allowedTools", allowed]
        play = self.listening if listens else self.recording
        with suite.mock(script) as mock, Tee(mock.url) as self.tee:
            self.recorded = play(suite, where, command, {**environment, **(variables or {})})

    def run(self, words, environment):
        return subprocess.run(words, cwd=self.work, env=environment, stdin=subprocess.DEVNULL, capture_output=True,
                              timeout=180 * harness.SLOWER, check=False)

    def recording(self, suite, where, command, environment):
        done = self.run([*suite.arguments(where, self.tee.url, self.options), *command], environment)
        return Recorded(where, done.returncode, done.stdout, done.stderr, 0)

    def listening(self, suite, where, command, environment):
        """Hooks are installed in the home, and find the recorder's socket by themselves."""
        sockets = os.path.join(self.home, "sockets")
        os.mkdir(sockets, 0o700)
        environment = {**environment, "XDG_RUNTIME_DIR": sockets}
        self.run([suite.program, "hook", "install", "claude-code"], environment)
        words = [suite.program, "record", "--listen", "127.0.0.1:0", "-o", where, "--upstream", f"anthropic={self.tee.url}"]
        with subprocess.Popen(words, cwd=self.work, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as recorder:
            line = next(x for x in recorder.stdout if "ANTHROPIC_BASE_URL=" in x)
            environment["ANTHROPIC_BASE_URL"] = line.strip().partition("=")[2]
            done = self.run(command, environment)
            recorder.send_signal(signal.SIGINT)
            err = recorder.communicate(timeout=60)[1]
        runs = [r for r in os.listdir(where) if os.path.exists(os.path.join(where, r, "agent-trace.jsonl"))]
        suite.one("hooks that are installed: the session is one run", len(runs) == 1, f"{runs} {err[-300:]}")
        return Recorded(os.path.join(where, runs[0]), done.returncode, done.stdout, done.stderr, 0)

    def nodes(self):
        with open(os.path.join(self.recorded.where, "agent-trace.jsonl"), encoding="utf-8") as f:
            return [n for n in map(json.loads, f) if n["event_type"] == "node"]

    def truth(self):
        """[begin, end] as the tools noted them, by name."""
        times = {}
        if os.path.exists(self.log + ".mcp"):
            with open(self.log + ".mcp", encoding="utf-8") as f:
                for name, begin, end in map(str.split, f):
                    times[name] = [float(begin), float(end)]
        with open(self.log, encoding="utf-8") as f:
            for name, which, at in map(str.split, f):
                times.setdefault(name, [0, 0])[which == "end"] = float(at)
        return times


def tools_of(nodes):
    return [n for n in nodes if n["kind"] == "tool_call"]


def owner_of(node, by_id):
    """The model call that a tool call follows from, with or without a branch between them."""
    parents = [by_id[p] for p in node["parent_node_ids"]]
    for p in parents:
        if p["kind"] == "branch":
            return owner_of(p, by_id)
        if p["kind"] == "model_call":
            return p
    return None


def check_once(suite, scene, title, wanted):
    """Each call is one node, known by these layers, below the model call that asked."""
    nodes = scene.nodes()
    tools, by_id = tools_of(nodes), {n["node_id"]: n for n in nodes}
    ids = sorted(n["tool_call"].get("call_id") or n["node_id"] for n in tools)
    suite.one(f"{title}: every tool call is one node", ids == sorted(scene.tee.tools), f"{ids} and not {sorted(scene.tee.tools)}")
    got = {tuple(n["known_by"]) for n in tools}
    suite.one(f"{title}: each is known by {' and '.join(wanted)}", got == {tuple(wanted)}, f"{got}")
    models = [n for n in nodes if n["kind"] == "model_call"]
    suite.one(f"{title}: model calls are those of the tee", len(models) == scene.tee.calls,
              f"{len(models)}, and {scene.tee.calls} passed; {[(n['known_by'], n['model_call']['model']) for n in models]}")
    inputs = [n for n in nodes if n["kind"] == "user_input"]
    suite.one(f"{title}: the prompt is one input", len(inputs) == 1, f"{len(inputs)}")
    bad = [n for n in tools if not owner_of(n, by_id)]
    suite.one(f"{title}: each follows from the model call that asked", not bad, f"{bad[:1]}")
    suite.check(f"{title}: its trace is without a finding", [(title, f) for f in suite.strict(scene.recorded.where)], 1)


def check_canary(suite, scene, title):
    bad = []
    for name in os.listdir(scene.recorded.where):
        with open(os.path.join(scene.recorded.where, name), "rb") as f:
            if CANARY.encode() in f.read():
                bad.append((name, "has it"))
    if CANARY in scene.recorded.err:
        bad.append(("standard error", "has it"))
    suite.check(f"{title}: nothing that hooks are told of is kept", bad, 1)


def check_times(suite, scene):
    """How far the trace is from what the tools noted: begin, end and duration of the MCP server's tool, in milliseconds."""
    tools, differences = tools_of(scene.nodes()), {"rest": [], "Bash": []}
    for name, (begin, end) in scene.truth().items():
        kind = "rest" if name[0] == "r" or name == "sub2" else "Bash"
        same = [n for n in tools if n["tool_call"]["name"].endswith(kind)]
        near = min(same, key=lambda n: abs(n["timestamp_start"] - begin) + abs(n["timestamp_end"] - end))
        differences[kind].append([1e3 * (near["timestamp_start"] - begin), 1e3 * (near["timestamp_end"] - end),
                                  1e3 * (near["tool_call"]["wall_time_seconds"] - (end - begin))])
    for kind, rows in differences.items():
        if not rows:
            continue
        shown = [f"{what} {statistics.median(c):+.1f} ({min(c):+.1f} to {max(c):+.1f})" for what, c in zip(("begin", "end", "wall"), zip(*rows))]
        suite.note(f"{kind}, {len(rows)} calls: trace less tool, median (spread) in ms: {', '.join(shown)}")
    medians = [abs(statistics.median(c)) for c in zip(*(differences["rest"] or differences["Bash"]))]
    # a machine that is busy starts processes late, so this only finds what is wrong altogether; the figures are noted above
    suite.one("hooks: times are those of the tools", all(m < 250 * harness.SLOWER for m in medians), f"{medians} ms")


def check_parents(suite, scene):
    """A sub-agent's first call follows from the call that began it."""
    nodes = scene.nodes()
    by_id = {n["node_id"]: n for n in nodes}
    firsts = {}
    for n in nodes:
        if n["kind"] == "model_call" and n.get("agent_id"):
            firsts.setdefault(n["agent_id"], n)
    spawns = {p["node_id"] for n in firsts.values() for p in map(by_id.get, n["parent_node_ids"]) if p and p["kind"] == "tool_call"}
    suite.one("hooks: both sub-agents follow from the calls that began them", len(firsts) == 2 and len(spawns) == 2, f"{len(firsts)}, {len(spawns)}")


def run(suite, row, programs):
    scene = Scene(suite, row, programs)
    if not suite.one("hooks: Claude Code works", scene.recorded.status == 0 and DONE.encode() in scene.recorded.out,
                     f"{scene.recorded.status}: {scene.recorded.out[-200:]} {scene.recorded.err[-300:]}"):
        return
    check_once(suite, scene, "hooks", ["hook", "proxy"])
    check_times(suite, scene)
    check_parents(suite, scene)
    check_canary(suite, scene, "hooks")


def run_shell(suite, row, programs):
    """Proxy, hooks, telemetry and shell at once: each command is one node, with the times of the shell that ran it."""
    scene = Scene(suite, row, programs, variables=TELEMETRY, options=("--shell",), script=commands)
    check_once(suite, scene, "hooks and shell", ["shell", "hook", "otlp", "proxy"])
    check_times(suite, scene)
    truth = sorted(end - begin for begin, end in scene.truth().values())
    walls = sorted(n["tool_call"]["wall_time_seconds"] for n in tools_of(scene.nodes()))
    suite.one("hooks and shell: no command has the time of another", len(walls) == len(truth) and
              all(abs(w - t) < 0.05 * harness.SLOWER for w, t in zip(walls, truth)), f"{walls} and not {truth}")
    check_canary(suite, scene, "hooks and shell")


def run_twice(suite, row, programs):
    """Hooks in the user's settings, of a program at another path, beside those of the recorder: each event is told twice."""
    other = os.path.join(suite.directory("other"), "trackway")
    os.symlink(suite.program, other)
    event = {"hooks": [{"type": "command", "command": f"{other} hook claude-code", "timeout": 5}]}
    with open(os.path.join(HERE, "..", "..", "..", "src", "capture", "agents", "hooks.c"), encoding="utf-8") as f:
        names = [w.strip().strip('"') for w in f.read().split("hooks_claude_events[] = {")[1].split("NULL")[0].split(",") if '"' in w]
    settings = json.dumps({"hooks": {name: [event] for name in names}}).encode()
    scene = Scene(suite, row, programs, files={".claude/settings.json": settings})
    check_once(suite, scene, "hooks told twice", ["hook", "proxy"])


def run_asked(suite, row, programs):
    """A hook of the user's allows what Claude Code asks for, after a while, as a person would: that is not the tool's time."""
    allow = {"hookSpecificOutput": {"hookEventName": "PermissionRequest", "decision": {"behavior": "allow"}}}
    person = {"type": "command", "command": f"cat >/dev/null; sleep 0.6; echo '{json.dumps(allow)}'"}
    settings = json.dumps({"hooks": {"PermissionRequest": [{"hooks": [person]}]}}).encode()
    scene = Scene(suite, row, programs, files={".claude/settings.json": settings}, allowed="Bash,Read,Task,Agent")
    nodes = scene.nodes()
    waits = {n["node_id"]: n["timestamp_end"] - n["timestamp_start"] for n in nodes if n["kind"] == "user_input"}
    asked = [n for n in tools_of(nodes) if n["tool_call"]["name"].endswith("rest")]
    bad = [n for n in asked if not any(waits.get(p, 0) > 0.5 for p in n["parent_node_ids"]) or n["tool_call"]["wall_time_seconds"] > 0.5]
    suite.one("permissions: each is a user_input with its time, and not the tool's", len(asked) == 10 and not bad, f"{len(asked)}: {bad[:1]}")
    suite.one("permissions: nobody else was waited for", len(waits) == len(asked) + 1, f"{len(waits)}")
    suite.check("permissions: its trace is without a finding", [("asked", f) for f in suite.strict(scene.recorded.where)], 1)


def run_listen(suite, row, programs):
    """Hooks of the user's settings, and a recorder that listens for all."""
    if b"--listen" not in suite.run(["record", "--help"])[1]:
        suite.skip("hooks that are installed", "'trackway record' has no --listen yet")
        return
    scene = Scene(suite, row, programs, listens=True)
    check_once(suite, scene, "hooks that are installed", ["hook", "proxy"])
    check_canary(suite, scene, "hooks that are installed")


def run_otlp(suite, row, programs):
    """Claude Code's own telemetry as well: proxy, hooks and OTLP tell of the same calls."""
    shown = subprocess.run([suite.program, "record", "-q", "-o", os.path.join(suite.directory("run"), "out"), "--", "env"], cwd=suite.place,
                           env=suite.variables(), capture_output=True, text=True, timeout=60, check=False).stdout
    if "OTEL_EXPORTER_OTLP_ENDPOINT=" not in shown:
        suite.skip("hooks and telemetry", "'trackway record' sets no OTEL_EXPORTER_OTLP_ENDPOINT yet")
        return
    scene = Scene(suite, row, programs, variables=TELEMETRY)
    check_once(suite, scene, "hooks and telemetry", ["hook", "otlp", "proxy"])
    check_canary(suite, scene, "hooks and telemetry")
