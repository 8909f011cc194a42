"""Runs the instrumented programs of clients/, recorded with the proxy and with OTLP alone, and compares. Called by run."""

import json
import os
import shutil
import statistics
import sys
from collections import Counter

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[1:1] = [os.path.join(HERE, "..", name) for name in ("record", "otlp", "validate")]

import collector
import harness
import scripts
from recording import Recording

# By which a span may differ from what the tool itself noted, since it is around the tool: on a busy machine, and mostly.
CLOCK_SECONDS, MEDIAN_MS = 0.1, 20


class Program:
    """
    name, packages, command. tools: whether its spans tell of tools. untold(model, failed): whether it has no span for such
    a call. bare: models of calls whose spans have no tokens. more: variables for the client.
    """

    def __init__(self, name, packages, client, tools=True, untold=None, bare=(), more=None):
        self.name, self.packages, self.client, self.tools, self.bare = name, packages, client, tools, bare
        self.untold, self.more = untold or retried, more or {}


def retried(model, failed):
    """A failure that the client itself tries again: one span is around both attempts."""
    return model == "chat-retry" and failed


def no_failures(_, failed):
    """Spans of calls that fail are begun and never ended."""
    return failed


def no_embeddings(model, failed):
    return failed or model.startswith("embed")


PROGRAMS = [
    Program("traceloop", "traceloop.txt", "with_traceloop.py"),
    Program("openinference", "openinference.txt", "with_openinference.py"),
    Program("logfire", "logfire.txt", "with_logfire.py", tools=False),
    Program("pydantic", "pydantic.txt", "with_pydantic.py"),
    Program("agents", "agents.txt", "with_agents.py"),
    # every span at once, in a request of its own, also before the end of the answer has passed
    Program("traceloop-at-once", "traceloop.txt", "with_traceloop.py", more={"AT_ONCE": "1"}),
    Program("openinference-at-once", "openinference.txt", "with_openinference.py", more={"AT_ONCE": "1"}),
    # each call by two instrumentations, one inside the other
    Program("pydantic-twice", "pydantic.txt", "with_pydantic.py", more={"TWICE": "1"}),
    Program("node-traceloop", "node-traceloop", "with_traceloop.mjs", untold=no_embeddings, bare=("chat-stream",)),
    Program("node-openinference", "node-openinference", "with_openinference.mjs", untold=no_failures, bare=("chat-stream",)),
]


# ---- packages ----


def text_of(*path):
    with open(os.path.join(HERE, "packages", *path), encoding="utf-8") as f:
        return f.read()


def command_of(suite, program):
    """(command, variables) of a client, or None after having said why not."""
    path = os.path.join(HERE, "clients", program.client)
    name = f"telemetry-{program.packages.removesuffix('.txt')}"
    if program.packages.endswith(".txt"):
        python = harness.python_packages(suite, name, text_of(program.packages), "--no-deps")
        return python and ([python, "-B", path], {})
    if not shutil.which("node") or not shutil.which("npm"):
        suite.skip(program.name, "node and npm are not both installed")
        return None

    def commands(where):
        for file in ("package.json", "package-lock.json", ".npmrc"):
            shutil.copy(os.path.join(HERE, "packages", program.packages, file), where)
        return [["npm", "ci", "--loglevel=error", "--no-audit", "--no-fund", "--ignore-scripts"]]

    where = harness.packages(suite, name, text_of(program.packages, "package-lock.json"), commands)
    return where and (["node", path], {"CLIENT_PACKAGES": where})


# ---- the truth ----


def lines_of(path):
    return harness.rows(path) if os.path.exists(path) else []


class Truth:
    """What the mock answered, and what the tools wrote down."""

    def __init__(self, canary, log, tools):
        self.calls = [line for line in lines_of(log) if line["method"] == "POST"]
        self.tools = lines_of(tools)
        self.tokens = [scripts.tokens(canary, line) for line in self.calls]

    def told(self, program):
        """(model, tokens) of the calls that its spans tell of."""
        return [(line["model"], t) for line, t in zip(self.calls, self.tokens)
                if not program.untold(line["model"], line["status"] >= 400)]


# ---- one run ----


class Telemetry(Recording):
    def play(self, program, command, options, proxy):
        """Records a program; (what was recorded, the truth)."""
        words, more = command
        canary = f"CANARY-{self.random.getrandbits(64):016x}"
        place = self.directory("play")
        rules = self.write(place, "mock.json", scripts.script(canary))
        log, tools = os.path.join(place, "log"), os.path.join(place, "tools")
        with self.mock(rules, ["--log", log]) as mock:
            direct = {"OPENAI_BASE_URL": f"{mock.url}/v1", "ANTHROPIC_BASE_URL": mock.url}
            variables = {
                "CANARY": canary, "TOOL_LOG": tools, "OPENAI_API_KEY": "sk-made-up", "ANTHROPIC_API_KEY": "sk-ant-made-up",
                **program.more, **more, **({} if proxy else direct),
            }
            recorded = self.record(words, mock.url if proxy else None, options, variables, 120)
        recorded.canary = canary
        return recorded, Truth(canary, log, tools)


def wrong_tokens(calls, wanted, bare):
    """Those of embeddings are the mock's own count."""

    def counts(model):
        return not model.startswith("embed") and model not in bare

    want = sorted((model, *tokens) for model, tokens in wanted if counts(model))
    got = sorted((m["model"], m["input_tokens"], m["output_tokens"]) for m in calls if counts(m["model"]))
    return [("tokens", f"{g} and not {w}") for g, w in zip(got, want) if g != w]


def unjoined(calls, program):
    """Calls of models that the proxy or a span did not reach."""
    bad = []
    for c in calls:
        by, m = c.get("known_by") or [], c["model_call"]
        if "proxy" not in by or ("otlp" not in by) != program.untold(m["model"], m["stop_reason"] == "error"):
            bad.append((m["model"], f"known by {by}"))
    return bad


def call_of(node):
    return node["tool_call"].get("call_id") or node.get("call_id")


def may_be(one, other):
    """Ids of calls, None where one is not known."""
    return one is None or other is None or one == other


def wrong_tools(nodes, truth, exact):
    """Each call of a tool once, with its own times: (list of what is wrong, differences in milliseconds)."""
    bad, apart, left = [], [], list(nodes)
    for t in truth.tools:
        begun, ended = t["begun_ns"] / 1e9, t["ended_ns"] / 1e9
        fitting = [n for n in left if n["tool_call"]["name"] == t["name"] and may_be(t["call"], call_of(n))]
        if not fitting:
            bad.append((t["name"], f"call {t['call']} is not there"))
            continue
        n = min(fitting, key=lambda n: abs(n["timestamp_start"] - begun))
        left.remove(n)
        if not exact:
            continue
        off = max(abs(n["timestamp_start"] - begun), abs(n["timestamp_end"] - ended))
        apart.append(abs(n["tool_call"]["wall_time_seconds"] - (ended - begun)) * 1000)
        if off > CLOCK_SECONDS * harness.SLOWER or "otlp" not in (n.get("known_by") or []):
            bad.append((t["name"], f"{off * 1000:.1f} ms off, known by {n.get('known_by')}"))
    return bad + [(n["tool_call"]["name"], f"no tool ran, known by {n.get('known_by')}") for n in left], apart


def askers(trace, node):
    """The model calls that a tool follows from, branches left aside."""
    found = []
    for p in trace.parents(node):
        found += [p] if p and p["kind"] == "model_call" else askers(trace, p) if p and p["kind"] == "branch" else []
    return found


def wrong_loops(trace):
    """The first call of each loop asks for two tools, and the second follows from both."""
    bad, asked = [], Counter()
    for t in trace.of("tool_call"):
        if t["tool_call"]["name"] in scripts.CALLS:
            asked.update(a["node_id"] for a in askers(trace, t))
    for c in trace.models():
        m = c["model_call"]
        if not m["model"].endswith("-tools"):
            continue
        names = sorted(p["tool_call"]["name"] for p in trace.parents(c, "tool_call") if p)
        if m["output_tokens"] == scripts.ASKING and asked[c["node_id"]] != len(scripts.CALLS):
            bad.append((m["model"], f"{asked[c['node_id']]} tools follow from the call that asks for them"))
        if m["output_tokens"] != scripts.ASKING and names != sorted(scripts.CALLS):
            bad.append((m["model"], f"the second call follows from {names}"))
    return bad


def orphans(trace):
    return [(n["kind"], f"parent {p} is not there") for n in trace.nodes for p in n["parent_node_ids"] if p not in trace.by_id]


def leaks(recorded):
    word = recorded.canary.encode()
    places = {**recorded.files(), "standard error": recorded.err.encode()}
    return [(name, "the canary is in it") for name, content in places.items() if word in content]


def judge(suite, program, recorded, truth, alone):
    name = f"{program.name} by OTLP alone" if alone else program.name
    if not suite.one(f"{name}: the program ends well", recorded.status == 0, f"{recorded.status}: {recorded.err[-600:]}"):
        return
    trace = recorded.trace()
    calls, tools = trace.of("model_call"), trace.of("tool_call")
    wanted = truth.told(program) if alone else [(line["model"], t) for line, t in zip(truth.calls, truth.tokens)]
    got = Counter(c["model_call"]["model"] for c in calls)
    want = Counter(model for model, _ in wanted)
    bad = [(model, f"{got[model]} and not {want[model]}") for model in {*got, *want} if got[model] != want[model]]
    suite.check(f"{name}: every model call is there once", bad, len(wanted))
    bad = wrong_tokens([c["model_call"] for c in calls], wanted, program.bare if alone else ())
    suite.check(f"{name}: tokens are those of the mock", bad, len(calls))
    if not alone:
        suite.check(f"{name}: calls are known by proxy and spans", unjoined(calls, program), len(calls))
    apart = []
    if program.tools or not alone:
        bad, apart = wrong_tools(tools, truth, program.tools)
        suite.check(f"{name}: every tool call is there once, with its times", bad, len(truth.tools))
        near = not apart or statistics.median(apart) <= MEDIAN_MS * harness.SLOWER
        suite.one(f"{name}: the times of tools are near", near, f"{apart} ms")
        suite.check(f"{name}: tools stand between the calls of their loop", wrong_loops(trace), len(tools))
    suite.check(f"{name}: parents are there", orphans(trace), len(trace.nodes))
    suite.check(f"{name}: its trace is without a finding", [(name, f) for f in suite.strict(recorded.where)], 1)
    suite.check(f"{name}: no content is kept", leaks(recorded), len(recorded.files()))
    joined = sum("otlp" in (c.get("known_by") or []) for c in calls)
    off = f", tool times off by {statistics.median(apart):.1f} ms (median), {max(apart):.1f} ms (most)" if apart else ""
    suite.note(f"mock {len(truth.calls)}, nodes {len(calls)}, joined {joined}, tools {len(tools)} of {len(truth.tools)}, "
               f"doubled {sum(max(0, got[model] - want[model]) for model in got)}{off}")


def one(program):
    def run(suite):
        command = command_of(suite, program)
        if not command:
            return
        judge(suite, program, *suite.play(program, command, (), True), False)
        judge(suite, program, *suite.play(program, command, ("--otlp",), False), True)

    return run


def forwarded(suite):
    """A program that sends to a collector, which sends on to us, packed in one way and the other."""
    program = Program("collector", "openinference.txt", "with_openinference.py")
    command, built = command_of(suite, program), collector.build(suite)
    if not command or not built:
        return
    words, more = command
    for compression, options, proxy in (("gzip", (), True), ("zstd", ("--otlp",), False)):
        through = [sys.executable, "-B", os.path.join(HERE, "clients", "through_collector.py"), built, compression, *words]
        judge(suite, program, *suite.play(program, (through, more), options, proxy), not proxy)


if __name__ == "__main__":
    harness.main({**{p.name: one(p) for p in PROGRAMS}, "collector": forwarded}, Telemetry)
