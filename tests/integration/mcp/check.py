"""MCP with us in between: bytes, calls, times. Called by run."""

import json
import os
import shutil
import socket
import statistics
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[1:1] = [os.path.join(HERE, "..", "record"), os.path.join(HERE, "..", "validate")]

import harness
from recording import Recorded, Recording

WAIT = 0.25  # for which client.py lets a person think
WORLDS = (("2025-11-25", "sdk1", "old"), ("2026-07-28", "sdk2", "new"))
# In the order in which client.py calls them; the last but one is given up.
CALLS = ["add", "fail", "slow", "much", "ask", "add", "add", "add", "slow", "add"]
SIZES = {"old": {"fail": 37}, "new": {"fail": 25}}


def here(name):
    return os.path.join(HERE, name)


def text_of(*path):
    with open(os.path.join(HERE, "packages", *path), encoding="utf-8") as f:
        return f.read()


def python_of(suite, name):
    return harness.python_packages(suite, f"mcp-{name}", text_of(f"{name}.txt"), "--no-deps")


def node_place(suite):
    if not shutil.which("node") or not shutil.which("npm"):
        suite.skip("packages of Node", "node and npm are not both installed")
        return None

    def commands(where):
        for file in ("package.json", "package-lock.json"):
            shutil.copy(os.path.join(HERE, "packages", "servers", file), where)
        return [["npm", "ci", "--loglevel=error", "--no-audit", "--no-fund"]]

    return harness.packages(suite, "mcp-servers", text_of("servers", "package-lock.json"), commands)


def lines_of(path):
    with open(path, "rb") as f:
        return f.read().split(b"\n")[:-1]


def logged(path):
    return sorted((json.loads(line) for line in lines_of(path)), key=lambda e: e["begun"])


def seconds_between(node):
    return node["timestamp_end"] - node["timestamp_start"]


# ---- what the trace must say ----


def judge_calls(suite, title, mode, recorded, log, said):
    suite.one(f"{title}: the client is content", recorded.status == 0 and said, f"{recorded.status}: {recorded.out[-300:]} {recorded.err[-500:]}")
    trace = recorded.trace()
    tools = trace.of("tool_call")
    names = [t["tool_call"]["name"] for t in tools]
    suite.one(f"{title}: each call is a node", sorted(names) == sorted(f"truth.{n}" for n in CALLS), f"{names}")
    bad = [(t["tool_call"]["name"], t.get("known_by")) for t in tools if t.get("known_by") != ["mcp"] or t.get("inferred")]
    suite.check(f"{title}: each is known exactly", bad, len(tools))
    by_name = {}
    for t in tools:
        by_name.setdefault(t["tool_call"]["name"].removeprefix("truth."), []).append(t["tool_call"])
    partial = [t["tool_call"]["name"] for t in tools if t["tool_call"].get("partial")]
    suite.one(f"{title}: the call that was given up is partial", partial == ["truth.slow"], f"{partial}")
    sizes = {"add": 15, "slow": 7, "much": 3000000, "ask": len("said CANARY-ANSWER"), **SIZES[mode]}
    bad = [(n, [c["result_size_bytes"] for c in by_name[n]]) for n, s in sizes.items()
           if not all(c["result_size_bytes"] == s or c.get("partial") for c in by_name.get(n, [{}]))]
    suite.check(f"{title}: sizes are those of the results", bad, len(sizes))
    judge_times(suite, title, mode, tools, by_name, trace, log)
    suite.check(f"{title}: its trace is without a finding", [(title, f) for f in suite.strict(recorded.where)], 1)
    files = {n: b.count(b"CANARY") for n, b in recorded.files().items()}
    suite.check(f"{title}: nothing of arguments and results is kept", [(n, c) for n, c in files.items() if c], len(files))


def judge_times(suite, title, mode, tools, by_name, trace, log):
    """Ours begins when the request passed and ends when the answer did: both are outside of the tool's own times."""
    own = {}
    for e in log:
        own.setdefault(e["tool"], []).append((e["ended"] - e["begun"]) / 1e9)
    persons = trace.of("user_input")
    took = [seconds_between(n) for n in persons]
    waited = sum(took) if mode == "old" else 0  # the old world's tool waits itself, the new one's is called again
    late = []
    for name in ("add", "fail", "slow", "ask"):
        ours = [c["wall_time_seconds"] for c in by_name.get(name, []) if not c.get("partial")]
        theirs = [s - (waited if name == "ask" else 0) for s in own.get(name, [])][:len(ours)]
        late += [o - t for o, t in zip(ours, theirs)]
    late = late[1:]  # the first call of a process loads things
    suite.one(f"{title}: times are those of the tools", late and min(late) > -0.01 and statistics.median(late) < 0.05 * harness.SLOWER,
              f"{late}")
    suite.note(f"{len(late)} calls: ours minus the tool's own, median {statistics.median(late) * 1e3:.2f} ms, most {max(late) * 1e3:.2f} ms")
    right = len(took) == 1 and WAIT - 0.01 < took[0] < WAIT + 0.25 * harness.SLOWER
    suite.one(f"{title}: waiting for a person is a node of its own", right, f"{took}")
    asks = by_name.get("ask", [{}])
    suite.one(f"{title}: and is not the tool's time", asks[0].get("wall_time_seconds", 9) < WAIT * harness.SLOWER, f"{asks}")
    node = next((t for t in tools if t["tool_call"]["name"] == "truth.ask"), None)
    suite.one(f"{title}: the tool follows from it", node and [p["kind"] for p in trace.parents(node, "user_input")] == ["user_input"], f"{node}")


# ---- sets ----


def stdio(suite):
    for world, packages, mode in WORLDS:
        program = python_of(suite, packages)
        if program:
            for options in ((), ("--content",)):
                one_stdio(suite, world, program, mode, options)


def one_stdio(suite, world, program, mode, options):
    title = f"{world} over standard streams{' with content' if options else ''}"
    place = suite.directory("mcp")
    outer, inner, log = (os.path.join(place, n) for n in ("outer", "inner", "log"))
    tee = [sys.executable, "-B", here("tee.py")]
    server = [*tee, outer, suite.program, "mcp", "--chunks", "--", *tee, inner, program, "-B", here("server.py")]
    recorded = suite.record([program, "-B", here("client.py"), mode, *server], options=options, more={"MCP_LOG": log})
    for name in ("in", "out"):
        first, second = (open(f"{p}.{name}", "rb").read() for p in (outer, inner))
        suite.one(f"{title}: bytes are the same on both sides of us ({name})", first == second and first,
                  f"{len(first)} and {len(second)} bytes")
    if not options:
        judge_calls(suite, title, mode, recorded, logged(log), b"cancelled" in recorded.out)
        return
    said = {n: [line.rstrip(b"\r") for line in lines_of(f"{inner}.{n}")] for n in ("in", "out")}
    with open(os.path.join(recorded.where, "cassette.jsonl"), "rb") as f:
        kept = [line for line in f.read().split(b"\n") if b'"lane":"mcp"' in line]
    for name, who in (("in", b'"from":"client"'), ("out", b'"from":"server"')):
        mine = [line.split(b'"inline":', 1)[1] for line in kept if who in line and b'"inline":' in line]
        bad = [(i, m[:60]) for i, (s, m) in enumerate(zip(said[name], mine)) if not m.startswith(s)]
        suite.check(f"{title}: the cassette has every message ({name})", bad or ([("count", len(mine))] if len(mine) != len(said[name]) else []),
                    len(said[name]))
    progress = [json.loads(line)["progress_us"] for line in kept if b'"progress_us"' in line]
    suite.one(f"{title}: times of progress are kept", progress and len(progress[0]) == 4 and progress[0] == sorted(progress[0]), f"{progress}")


class Served:
    """server.py over HTTP, while it is entered."""

    def __init__(self, suite, program, log):
        with socket.socket() as s:
            s.bind(("127.0.0.1", 0))
            self.port = s.getsockname()[1]
        self.process = subprocess.Popen([program, "-B", here("server.py"), str(self.port)], cwd=suite.place,
                                        env={**suite.environment, "MCP_LOG": log}, stdin=subprocess.DEVNULL,
                                        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        end = time.monotonic() + 30 * harness.SLOWER
        while time.monotonic() < end:
            try:
                socket.create_connection(("127.0.0.1", self.port)).close()
                return
            except OSError:
                time.sleep(0.05)
        raise harness.Broken("the server does not listen")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()


def http(suite):
    for world, packages, mode in WORLDS:
        program = python_of(suite, packages)
        if not program:
            continue
        title = f"{world} over HTTP"
        log = os.path.join(suite.directory("mcp"), "log")
        with Served(suite, program, log) as served:
            command = f'exec "{program}" -B "{here("client.py")}" {mode} "$TRACKWAY_UPSTREAM_TRUTH/mcp"'
            recorded = suite.record(["sh", "-c", command], {"truth": f"http://127.0.0.1:{served.port}"})
            direct = subprocess.run([program, "-B", here("client.py"), mode, f"http://127.0.0.1:{served.port}/mcp"],
                                    env=suite.environment, capture_output=True, check=False)
        judge_calls(suite, title, mode, recorded, logged(log)[:len(CALLS)], b"cancelled" in recorded.out)
        suite.one(f"{title}: the client prints the same without us", direct.stdout == recorded.out, f"{direct.stdout} and not {recorded.out}")


def servers(suite):
    program, place = python_of(suite, "sdk1"), node_place(suite)
    if not program:
        return
    files = suite.directory("files")
    suite.write(files, "note.txt", b"CANARY-FILE")
    modules = place and os.path.join(place, "node_modules")
    known = [("mcp-server-time", [program, "-m", "mcp_server_time"], [["get_current_time", {"timezone": "UTC"}],
                                                                      ["get_current_time", {"timezone": "CANARY/None"}]])]
    if place:
        known += [
            ("server-everything", ["node", f"{modules}/@modelcontextprotocol/server-everything/dist/index.js", "stdio"],
             [["echo", {"message": "CANARY-ECHO"}], ["get-sum", {"a": 1, "b": 2}], ["get-tiny-image", {}],
              ["trigger-long-running-operation", {"duration": 1, "steps": 4}], ["no-such-tool", {}]]),
            ("server-filesystem", ["node", f"{modules}/@modelcontextprotocol/server-filesystem/dist/index.js", files],
             [["read_text_file", {"path": f"{files}/note.txt"}], ["read_text_file", {"path": "/CANARY-outside"}]]),
        ]
    for name, command, calls in known:
        place = suite.directory("server")
        outer, inner = (os.path.join(place, n) for n in ("outer", "inner"))
        tee = [sys.executable, "-B", here("tee.py")]
        words = [program, "-B", here("everything.py"), *tee, outer, suite.program, "mcp", "--", *tee, inner, *command]
        recorded = suite.record(words, stdin="".join(json.dumps(c) + "\n" for c in calls).encode())
        said = recorded.out.decode().splitlines()
        suite.one(f"{name} answers", recorded.status == 0 and len(said) == len(calls) + 1, f"{said} {recorded.err[-500:]}")
        same = all(open(f"{outer}.{n}", "rb").read() == open(f"{inner}.{n}", "rb").read() for n in ("in", "out"))
        suite.one(f"{name}: bytes are the same on both sides of us", same, "they are not")
        names = [t["tool_call"]["name"].rsplit(".", 1)[1] for t in recorded.trace().of("tool_call")]
        suite.one(f"{name}: its calls are nodes", names == [c[0] for c in calls], f"{names}")
        suite.note(f"{name} is called {recorded.trace().of('tool_call')[0]['tool_call']['name'].rsplit('.', 1)[0]}")
        kept = [n for n, b in recorded.files().items() if b"CANARY" in b]
        suite.one(f"{name}: nothing of arguments and results is kept", not kept, f"{kept}")
    if modules:
        node_clients(suite, modules, program)


def node_clients(suite, modules, old):
    new = python_of(suite, "sdk2")
    script = os.path.join(os.path.dirname(modules), "node_client.mjs")
    shutil.copy(here("node_client.mjs"), script)
    for version, server in (("1", old), ("2", new or old)):
        place = suite.directory("node")
        words = ["node", script, version, suite.program, "mcp", "--", sys.executable, "-B", here("tee.py"), os.path.join(place, "seen"),
                 server, "-B", here("server.py")]
        recorded = suite.record(words, more={"MCP_LOG": os.path.join(place, "log")})
        names = [t["tool_call"]["name"] for t in recorded.trace().of("tool_call")]
        suite.one(f"Node's client {version}: its calls are nodes", recorded.status == 0 and names == ["truth.add", "truth.fail"],
                  f"{recorded.status} {names} {recorded.err[-800:]}")
        seen = open(os.path.join(place, "seen.in"), "rb").read()
        suite.note(f"Node's client {version} speaks {'2026-07-28' if b'2026-07-28' in seen and b'initialize' not in seen else 'with initialize'}")


SCRIPT = {"schema": "trackway.mock/1", "rules": [
    {"match": {"contains": "CANARY-RESULT"}, "reply": {"text": "all done"}},
    {"reply": {"tool_calls": [{"name": "PREFIXadd", "arguments": {"a": 1, "b": 2}},
                              {"name": "PREFIXadd", "arguments": {"a": 3, "b": 4}},
                              {"name": "PREFIXmuch", "arguments": {"size": 10}}]}},
]}


def model(suite):
    program = python_of(suite, "sdk1")
    if not program:
        return
    for prefix in ("", "mcp__truth__", "truth_"):
        for way in ("standard streams", "HTTP"):
            one_model(suite, program, prefix, way)


def one_model(suite, program, prefix, way):
    title = f"an agent with tools {prefix or 'of no server'} over {way}"
    script = suite.write(suite.directory("script"), "mock.json", json.dumps(SCRIPT).replace("PREFIX", prefix))
    log = os.path.join(suite.directory("mcp"), "log")
    with suite.mock(script) as mock, Served(suite, program, log) as served:
        upstream = {"openai": f"{mock.url}/v1", "truth": f"http://127.0.0.1:{served.port}"}
        agent = f'exec "{program}" -B "{here("agent.py")}" "{prefix}" '
        server = f'"{suite.program}" mcp -- "{program}" -B "{here("server.py")}"' if way != "HTTP" else '"$TRACKWAY_UPSTREAM_TRUTH/mcp"'
        recorded = suite.record(["sh", "-c", agent + server], upstream, more={"MCP_LOG": log})
    trace = recorded.trace()
    tools = [(t["tool_call"]["name"].rsplit(".", 1)[-1].removeprefix("truth_"), tuple(t.get("known_by", []))) for t in trace.of("tool_call")]
    suite.one(f"{title}: each call is one node, known by both", recorded.status == 0 and sorted(tools) == sorted(
        [("add", ("mcp", "proxy"))] * 2 + [("much", ("mcp", "proxy"))]), f"{recorded.status} {tools} {recorded.err[-500:]}")
    suite.one(f"{title}: two model calls", len(trace.of("model_call")) == 2, f"{trace.kinds()}")
    asker = trace.of("model_call")[0]
    bad = [(t["node_id"], t["parent_node_ids"]) for t in trace.of("tool_call")
           if not any(p and (p == asker or p["kind"] == "branch") for p in trace.parents(t))]
    suite.check(f"{title}: they follow from the model that asked", bad, len(tools))
    own = [e for e in logged(log) if e["tool"] == "add"]
    ours = sorted(t["tool_call"]["wall_time_seconds"] for t in trace.of("tool_call") if t["tool_call"]["name"].endswith("add"))
    theirs = sorted((e["ended"] - e["begun"]) / 1e9 for e in own)
    suite.one(f"{title}: times are exact", all(0 <= o - t < 0.25 * harness.SLOWER for o, t in zip(ours, theirs)) and ours, f"{ours} {theirs}")
    suite.check(f"{title}: its trace is without a finding", [(title, f) for f in suite.strict(recorded.where)], 1)
    kept = [n for n, b in recorded.files().items() if b"CANARY" in b]
    suite.one(f"{title}: nothing of arguments and results is kept", not kept, f"{kept}")


def rounds(suite):
    """Tools that take no time: what the socket and the proxy tell comes in any order."""
    program, count = python_of(suite, "sdk1"), int(os.environ.get("ROUNDS", "100"))
    if not program:
        return
    calls = [{"name": "truth_much", "arguments": {"size": n}} for n in (3, 4)]
    rules = {"schema": "trackway.mock/1", "rules": [{"reply": {"tool_calls": calls}}]}
    script = suite.write(suite.directory("script"), "mock.json", json.dumps(rules))
    with suite.mock(script) as mock:
        words = [program, "-B", here("agent.py"), "truth_", suite.program, "mcp", "--", program, "-B", here("server.py")]
        recorded = suite.record(words, {"openai": f"{mock.url}/v1"}, timeout=120,
                                more={"MCP_LOG": os.path.join(suite.directory("mcp"), "log"), "ROUNDS": str(count)})
    tools = [(tuple(t["known_by"]), bool(t.get("inferred"))) for t in recorded.trace().of("tool_call")]
    bad = [t for t in tools if t != (("mcp", "proxy"), False)]
    suite.check("each quick call is one node, exact and known by both", bad, len(tools))
    suite.one("there are as many as were made", len(tools) == 2 * count, f"{len(tools)} and not {2 * count}")


def claude(suite):
    """Claude Code sends the model's own id with each call, and its hooks tell of it too."""
    program = python_of(suite, "sdk1")
    if not program or not shutil.which("npm"):
        return suite.skip("Claude Code", "python packages or npm are not there")
    wanted = os.path.join(HERE, "..", "agents", "packages", "claude")
    with open(os.path.join(wanted, "package-lock.json"), encoding="utf-8") as f:
        lock = f.read()

    def commands(where):
        for file in ("package.json", "package-lock.json"):
            shutil.copy(os.path.join(wanted, file), where)
        return [["npm", "ci", "--loglevel=error", "--no-audit", "--no-fund"]]

    place = harness.packages(suite, "agents-claude", lock, commands)
    if not place:
        return None
    calls = [{"name": "mcp__truth__add", "arguments": {"a": n, "b": 2}} for n in (1, 3)]
    rules = {"schema": "trackway.mock/1", "rules": [
        {"match": {"contains": "title generator"}, "reply": {"text": "A title"}},
        {"match": {"contains": "CANARY-RESULT"}, "reply": {"text": "all done"}}, {"reply": {"tool_calls": calls}}]}
    files = suite.directory("claude")
    log = os.path.join(files, "log")
    server = {"command": suite.program, "args": ["mcp", "--", program, "-B", here("server.py")], "env": {"MCP_LOG": log}}
    config = suite.write(files, "mcp.json", json.dumps({"mcpServers": {"truth": server}}))
    more = {"PATH": f"{place}/node_modules/.bin:{suite.environment['PATH']}", "ANTHROPIC_API_KEY": "sk-ant-made-up", "HOME": files,
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1", "DISABLE_AUTOUPDATER": "1", "DISABLE_TELEMETRY": "1", "CI": "1"}
    with suite.mock(suite.write(files, "mock.json", json.dumps(rules))) as mock:
        recorded = suite.record(["claude", "-p", "add them", "--mcp-config", config, "--strict-mcp-config", "--allowedTools",
                                 "mcp__truth__add"], {"anthropic": mock.url}, timeout=120, more=more)
    trace = recorded.trace()
    tools = [(t["tool_call"]["name"], t["known_by"]) for t in trace.of("tool_call")]
    suite.one("Claude Code: each call is one node, known by three layers",
              tools == [("truth.add", ["mcp", "hook", "proxy"])] * 2, f"{recorded.status} {tools} {recorded.err[-400:]}")
    ours = sorted(t["tool_call"]["wall_time_seconds"] for t in trace.of("tool_call"))
    theirs = sorted((e["ended"] - e["begun"]) / 1e9 for e in logged(log))
    suite.one("Claude Code: times are those of the tools", all(0 <= o - t < 0.25 * harness.SLOWER for o, t in zip(ours, theirs)) and ours,
              f"{ours} {theirs}")
    suite.check("Claude Code: its trace is without a finding", [("it", f) for f in suite.strict(recorded.where)], 1)
    return None


ECHO = r"""
import os
while line := os.read(0, 65536):
    os.write(1, b'{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"x"}]}}\n')
"""


def latency(suite):
    """A call and its answer, one after the other, of a server that does nothing; with a recorder that listens."""
    count = int(os.environ.get("CALLS", "3000"))
    call = b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"t","arguments":{}}}\n'
    times = {}
    with suite.hold() as held:
        with open(f"/proc/{held.process.pid}/task/{held.process.pid}/children", encoding="ascii") as f:
            child = f.read().split()[0]
        with open(f"/proc/{child}/environ", "rb") as f:
            variables = dict(v.split(b"=", 1) for v in f.read().split(b"\0") if b"=" in v)
        more = {**suite.environment, "TRACKWAY_SOCKET": variables[b"TRACKWAY_SOCKET"].decode()}
        for name, prefix in (("direct", []), ("wrapped", [suite.program, "mcp", "--"])):
            server = subprocess.Popen([*prefix, sys.executable, "-c", ECHO], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                      env=more, bufsize=0)
            times[name] = []
            for _ in range(count):
                begun = time.perf_counter_ns()
                server.stdin.write(call)
                server.stdout.read(65536)
                times[name].append((time.perf_counter_ns() - begun) / 1e3)
            server.stdin.close()
            server.wait()
        recorded = held.finish()
    tools = recorded.trace().of("tool_call")
    suite.one("every call of a quick client is recorded", len(tools) == count, f"{len(tools)} of {count}")

    def figures(name):
        sorted_times = sorted(times[name][100:])
        return sorted_times[len(sorted_times) // 2], sorted_times[int(len(sorted_times) * 0.99)]

    direct, wrapped = figures("direct"), figures("wrapped")
    added = [(w - d) / 2 for w, d in zip(wrapped, direct)]  # a call has two messages
    suite.one("a message is passed on at once", added[0] < 2000 * harness.SLOWER, f"{added[0]:.0f} us")
    suite.note(f"a call and its answer, direct: median {direct[0]:.0f} us, p99 {direct[1]:.0f} us; "
               f"wrapped: median {wrapped[0]:.0f} us, p99 {wrapped[1]:.0f} us; added for a message: {added[0]:.0f} us and {added[1]:.0f} us")


if __name__ == "__main__":
    harness.main({"stdio": stdio, "http": http, "servers": servers, "model": model, "rounds": rounds, "claude": claude,
                  "latency": latency}, Recording)
