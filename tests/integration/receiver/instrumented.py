"""Real SDKs and instrumentations: what they send is taken, and a call that passed the proxy too is one node."""

import json
import os
import shutil

import harness

HERE = os.path.dirname(os.path.abspath(__file__))
SCRIPT = {"schema": "trackway.mock/1", "rules": [
    {"match": {"last": "seen"}, "reply": {"text": "done", "usage": {"input": 20, "output": 4}}},
    {"match": {"last": "go on"}, "reply": {"text": "more", "usage": {"input": 30, "output": 6}}},
    {"reply": {"text": "I look.", "tool_calls": [{"name": "look", "arguments": {}}], "usage": {"input": 12, "output": 3}}},
]}


def text_of(*path):
    with open(os.path.join(HERE, *path), encoding="utf-8") as f:
        return f.read()


def leaked(done, canary):
    files = {**done.files(), "standard error": done.err.encode()}
    return [(name, "has content") for name, text in files.items() if canary.encode() in text]


def alone(suite, program, canary):
    """Spans by hand, with no proxy."""
    for protocol in ({}, {"OTEL_EXPORTER_OTLP_COMPRESSION": "gzip"}):
        done = suite.record([program, "-B", os.path.join(HERE, "clients", "python_sdk.py"), "none"], options=["--otlp"],
                            more={"CANARY": canary, **protocol})
        t = done.trace()
        name = "packed" if protocol else "plain"
        suite.one(f"OpenTelemetry's Python SDK, {name}: calls and tools", done.status == 0 and len(t.models()) == 3
                  and len(t.of("tool_call")) == 3 and "telemetry: 7 spans in 1 request" in done.err, (t.kinds(), done.err[-600:]))
        suite.check(f"{name}: no content", leaked(done, canary), 1)
        suite.check(f"{name}: the trace is valid", [("trace", f) for f in suite.strict(done.where)], 1)


def both(suite, clients, calls, canary):
    """OpenAI's SDK through the proxy under instrumentations; the mock is the service."""
    script = suite.write(suite.directory("script"), "mock.json", json.dumps(SCRIPT))
    for which, command in clients:
        with suite.mock(script) as mock:
            done = suite.record(command, mock.url, more={"CANARY": canary})
        t = done.trace()
        known = [n.get("known_by") for n in t.models()]
        suite.one(f"{which}: every model call once, known by proxy and telemetry", done.status == 0
                  and known == [["proxy", "otlp"]] * calls, (known, t.kinds(), done.err[-600:]))
        suite.check(f"{which}: no content", leaked(done, canary), 1)
        suite.check(f"{which}: the trace is valid", [("trace", f) for f in suite.strict(done.where)], 1)
        suite.note(next((line for line in done.err.splitlines() if line.startswith("telemetry")), "no telemetry"))


def node_packages(where):
    for name in ("package.json", "package-lock.json", ".npmrc"):
        shutil.copy(os.path.join(HERE, "packages", "node", name), where)
    return [["npm", "ci", "--loglevel=error", "--no-audit", "--no-fund"]]


def node(suite):
    """Its imports are looked for beside the script, so the script goes where the packages are."""
    if not shutil.which("node") or not shutil.which("npm"):
        suite.skip("node's packages", "node and npm are not both installed")
        return
    where = harness.packages(suite, "receiver-node", text_of("packages", "node", "package-lock.json"), node_packages)
    if not where:
        return
    place = suite.directory("node")
    os.symlink(os.path.join(where, "node_modules"), os.path.join(place, "node_modules"))
    script = shutil.copy(os.path.join(HERE, "clients", "node_sdk.mjs"), place)
    clients = [(f"{which} in Node, {form}", ["node", "--preserve-symlinks-main", script, which, form])
               for which in ("traceloop", "openinference") for form in ("proto", "http")]
    both(suite, clients, 3, "a-canary-91e9")


def run(suite):
    program = harness.python_packages(suite, "receiver-python", text_of("packages", "python.txt"), "--no-deps")
    if program:
        alone(suite, program, "a-canary-91e7")
        python_sdk = os.path.join(HERE, "clients", "python_sdk.py")
        both(suite, [(which, [program, "-B", python_sdk, which]) for which in ("traceloop", "openinference")], 4, "a-canary-91e8")
    node(suite)
