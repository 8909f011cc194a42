"""
Real clients and agents, recorded against the mock and replayed without it and without a network: what they ask and print is
what they asked and printed. EXACT where nothing of theirs is new in a run, else EXACT or EQUIVALENT.
"""

import importlib.util
import json
import os
import shutil
import subprocess
import sys

import harness
import sdks as recorded_sdks
from recording import HERE as RECORD
from recording import python
from replaying import Replayed

HERE = os.path.dirname(os.path.abspath(__file__))
GREEN = ("EXACT", "EQUIVALENT")


def suite_of(name):
    """The module of another suite, which is called check there, too."""
    where = os.path.join(HERE, "..", name)
    sys.path.insert(0, where)
    spec = importlib.util.spec_from_file_location(f"{name}_check", os.path.join(where, "check.py"))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def tell(suite, name, got):
    d = got.document
    suite.note(f"{name}: {got.verdict}; {d.get('exact')} exact, {d.get('masked')} masked, attempts to leave {d.get('network', {}).get('attempts')}")


def judge(suite, name, recorded, replay, verdicts=("EXACT",)):
    """replay() replays it."""
    if not suite.one(f"{name} is recorded", recorded.status == 0, f"{recorded.status} {recorded.out[-200:]} {recorded.err[-500:]}"):
        return None
    got = replay()
    suite.same(name, got, verdicts)
    suite.one(f"{name}: all was served", got.document.get("missed") == 0 and got.document.get("unconsumed") == 0 and
              (got.document.get("served") or 0) > 0, str(got))
    tell(suite, name, got)
    return got


# ---- SDKs ----


def clients(suite):
    """(name, command, variables, verdicts)"""
    text = recorded_sdks.text_of
    program = harness.python_packages(suite, "record-python", text("requirements.txt"), "--no-deps")
    if program:
        for name in ("openai", "anthropic"):
            yield f"the {name} package of Python", [program, "-B", os.path.join(RECORD, "clients", f"{name}_sdk.py")], {}, ("EXACT",)
    if not shutil.which("node") or not shutil.which("npm"):
        suite.skip("node's packages", "node and npm are not both installed")
    else:
        where = harness.packages(suite, "record-node", text("package-lock.json"), recorded_sdks.node_packages)
        for name in ("openai", "anthropic") if where else ():
            yield (f"the {name} package of Node", ["node", os.path.join(RECORD, "clients", f"{name}_sdk.mjs")], {"CLIENT_PACKAGES": where},
                   ("EXACT",))
    yield "ollama's API", python(os.path.join("clients", "ollama.py")), {}, ("EXACT",)


def sdk(suite):
    rules = suite.write(suite.directory("script"), "mock.json", recorded_sdks.script())
    for name, command, more, verdicts in clients(suite):
        with suite.mock(rules) as mock:
            recorded = suite.record(command, mock.url, ["-q", "--content"], more, 120)
        for how in ([], ["--chunking", "bytes:1"]):
            judge(suite, f"{name} {' '.join(how)}".strip(), recorded, lambda h=how, c=command, m=more, r=recorded: suite.replay(r.where, c, h, m,
                                                            120), verdicts)


def rule(model, text, **more):
    return {"match": {"model": model, **more}, "reply": {"text": text}}


def polling(suite):
    program = harness.python_packages(suite, "record-python", recorded_sdks.text_of("requirements.txt"), "--no-deps")
    if not program:
        return
    rules = [rule("poll", "not yet", nth=1), {"match": {"model": "poll", "nth": 2}, "fault": {"status": 500, "headers": {"retry-after-ms": "20"}}},
             rule("poll", "still not", nth=3), rule("poll", "done"), rule("close", "closed")]
    script = suite.write(suite.directory("script"), "mock.json", json.dumps({"schema": "trackway.mock/1", "rules": rules}))
    command = [program, "-B", os.path.join(HERE, "poller.py")]
    with suite.mock(script) as mock:
        recorded = suite.record(command, mock.url, ["-q", "--content"])
    suite.one("a loop that polls gets its answers in order", recorded.out == b"0 not yet\n1 still not\n2 done\nclosed\n",
              f"{recorded.out} {recorded.err[-300:]}")
    got = judge(suite, "a loop that polls, with ids and times of its own", recorded, lambda: suite.replay(recorded.where, command), ("EQUIVALENT",))
    if got:
        kinds = {d["sentence"].split()[0] for d in got.of("volatile_substitution")}
        suite.one("its ids and its time are listed", kinds == {"uuid", "rfc3339"} and got.document["masked"] == 5,
                  f"{kinds} {got.document['masked']}")


def graph(suite):
    with open(os.path.join(HERE, "packages", "langgraph.txt"), encoding="utf-8") as f:
        program = harness.python_packages(suite, "replay-langgraph", f.read(), "--no-deps")
    if not program:
        return
    calls = [{"name": "read_file", "arguments": {"x": "a.txt"}}, {"name": "get_forecast", "arguments": {"x": "Friday"}}]
    rules = [rule("graph-tools", "all done", contains="SECOND RESULT"), {"match": {"model": "graph-tools"}, "reply": {"tool_calls": calls}}]
    script = suite.write(suite.directory("script"), "mock.json", json.dumps({"schema": "trackway.mock/1", "rules": rules}))
    command = [program, "-B", os.path.join(HERE, "graph_agent.py")]
    with suite.mock(script) as mock:
        recorded = suite.record(command, mock.url, ["-q", "--content"], timeout=120)
    got = judge(suite, "LangGraph", recorded, lambda: suite.replay(recorded.where, command, timeout=120))
    if got:
        tools = {t["name"]: t["how"] for t in got.document["tools"]}
        suite.one("LangGraph: its tools ran in the agent", tools == {"read_file": "ran_in_agent", "get_forecast": "ran_in_agent"}, f"{tools}")


# ---- coding agents ----


def play(words, environment):
    """(status, standard output, standard error) of an agent in a home and a directory that are new, and called the same."""
    home, work = environment["HOME"], os.path.join(environment["HOME"], "work")
    shutil.rmtree(home)
    os.makedirs(work)
    done = subprocess.run(words, cwd=work, env=environment, stdin=subprocess.DEVNULL, capture_output=True,
                          timeout=180 * harness.SLOWER, check=False)
    return done.returncode, done.stdout, done.stderr.decode(errors="replace")


def coding(suite, name, tool=True):
    agents = suite_of("agents")
    agent = next(a for a in agents.AGENTS if a.name == name)
    programs = agents.place_of(suite, agent)
    if not programs:
        return
    rules = suite.write(suite.directory("script"), "mock.json", json.dumps(agent.rules if tool else agents.script(None, None)).encode())
    where, words = os.path.join(suite.directory("run"), "out"), agents.words_of(agent, programs)
    _, environment = agents.Agents.surroundings(suite, agent, programs, {})
    with suite.mock(rules) as mock:
        status, out, err = play([*suite.arguments(where, mock.url, ["--content"]), *words], environment)
    suite.one(f"{name} is recorded", status == 0 and agents.FINAL.encode() in out, f"{status} {out[-300:]} {err[-500:]}")
    status, out, err = play([suite.program, "replay", "--json", where, "--", *words], environment)
    got = Replayed(status, out, err.encode())
    suite.same(name, got, GREEN)
    suite.one(f"{name}: it says what it said", agents.FINAL in err, err[-300:])
    tell(suite, name, got)
    if got.verdict == "EQUIVALENT":
        suite.note(f"{name}: " + "; ".join(d["sentence"][:90] for d in got.document["divergences"][:6]))


def claude(suite):
    coding(suite, "claude")


def codex(suite):
    """Without its tool: what that says has its time in it, so a second run asks something else."""
    coding(suite, "codex", tool=False)


def mini(suite):
    coding(suite, "mini-swe-agent")


# ---- MCP ----


def mcp(suite):
    others = suite_of("mcp")
    for world, packages, mode in others.WORLDS:
        program = others.python_of(suite, packages)
        if not program:
            continue
        log = os.path.join(suite.directory("mcp"), "log")
        server = [suite.program, "mcp", "--", program, "-B", others.here("server.py")]
        command = [program, "-B", others.here("client.py"), mode, *server]
        recorded = suite.record(command, options=["-q", "--content"], more={"MCP_LOG": log})
        began = len(others.lines_of(log))
        judge(suite, f"an MCP client of {world} over standard streams", recorded,
              lambda c=command, r=recorded, g=log: suite.replay(r.where, c, more={"MCP_LOG": g}))
        suite.one(f"{world}: no tool ran in the replay", len(others.lines_of(log)) == began, "one did")
        with others.Served(suite, program, log) as served:
            command = ["sh", "-c", f'exec "{program}" -B "{others.here("client.py")}" {mode} "$TRACKWAY_UPSTREAM_TRUTH/mcp"']
            recorded = suite.record(command, {"truth": f"http://127.0.0.1:{served.port}"}, ["-q", "--content"])
        judge(suite, f"an MCP client of {world} over HTTP", recorded, lambda c=command, r=recorded: suite.replay(r.where, c), GREEN)


# ---- commands ----


def shell(suite):
    others = suite_of("shell")
    command = [sys.executable, "-B", os.path.join(others.HERE, "agent.py"), "argv"]
    script = suite.write(suite.directory("script"), "mock.json", others.script(3))
    place = suite.directory("work")
    words = ["sh", "-c", 'cd "$0" && exec "$@"', place, *command]
    with suite.mock(script) as mock:
        recorded = suite.record(words, {"openai": f"{mock.url}/v1"}, ["-q", "--content", "--shell"])
    with open(os.path.join(place, "log"), encoding="ascii") as f:
        before = f.read()
    got = judge(suite, "an agent that runs commands", recorded, lambda: suite.replay(recorded.where, words), GREEN)
    with open(os.path.join(place, "log"), encoding="ascii") as f:
        suite.one("its commands did not run again", f.read() == before, "they did")
    if got:
        suite.one("and their effects are told as not verified", got.document["state_unverified"] > 0, str(got.document["state_unverified"]))


PARTS = {f.__name__: f for f in (shell, sdk, polling, claude, codex, mcp, graph, mini)}
MORE = ("mini",)  # with ALL=1 only


def run(suite):
    for name in os.environ.get("PARTS", " ".join(p for p in PARTS if os.environ.get("ALL") or p not in MORE)).split():
        PARTS[name](suite)
