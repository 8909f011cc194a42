"""Arize Phoenix: what its own API says of the spans that it was sent."""

import os
import time

from exporting import documents, fetch, free_port, spans, wait_for_port
from harness import SLOWER, python_packages

WANTED = "arize-phoenix==20.26.1\n"
KINDS = {"invoke_agent": "AGENT", "chat": "LLM", "execute_tool": "TOOL"}


def begin(suite, python):
    """Its address, or None after having said why not."""
    port = free_port()
    log = os.path.join(suite.directory("phoenix"), "log")
    env = {"PHOENIX_PORT": str(port), "PHOENIX_GRPC_PORT": str(free_port()), "PHOENIX_HOST": "127.0.0.1",
           "PHOENIX_WORKING_DIR": os.path.dirname(log), "PHOENIX_TELEMETRY_ENABLED": "false"}
    child = suite.start([python, "-m", "phoenix.server.main", "serve"], log, env)
    if wait_for_port(port, child, 240):
        return f"http://127.0.0.1:{port}"
    suite.check("phoenix starts", [("log", open(log, encoding="utf-8").read()[-400:])], 1)
    return None


def stored(url, project, count):
    """Its spans, all of them; it takes its time to store them."""
    end = time.monotonic() + 60 * SLOWER
    found = []
    while len(found) < count and time.monotonic() < end:
        time.sleep(0.5)
        projects = [p["name"] for p in fetch(f"{url}/v1/projects")["data"]]
        if project in projects:
            found = fetch(f"{url}/v1/projects/{project}/spans?limit=1000")["data"]
    return {s["context"]["span_id"]: s for s in found}


def same(ours, theirs):
    bad = [(i, "is not there") for i in ours if i not in theirs] + [(i, "was not sent") for i in theirs if i not in ours]
    for i in set(ours) & set(theirs):
        a, b = ours[i], theirs[i]
        kind = KINDS.get(a["name"].split()[0], "CHAIN")
        want = (a["name"], a["trace"], a["parent"], kind)
        got = (b["name"], b["context"]["trace_id"], b["parent_id"] or "", b["span_kind"])
        if want != got:
            bad.append((i, f"{want} became {got}"))
        tokens = [("gen_ai.usage.input_tokens", "llm.token_count.prompt"), ("gen_ai.usage.output_tokens", "llm.token_count.completion"),
                  ("gen_ai.request.model", "llm.model_name"), ("gen_ai.tool.name", "tool.name")]
        for mine, other in tokens:
            if kind in ("LLM", "TOOL") and mine in a["attributes"] and b["attributes"].get(other) != a["attributes"][mine]:
                bad.append((i, f"{other} is {b['attributes'].get(other)!r}"))
        if (a["status"][0] == 2) != (b["status_code"] == "ERROR"):
            bad.append((i, f"its status is {b['status_code']}"))
    return bad


def run(suite):
    os.environ.setdefault("TRACKWAY_PACKAGES_SECONDS", "1200")
    python = suite.can_send() and python_packages(suite, "otlp-phoenix", WANTED)
    url = python and begin(suite, python)
    if not url:
        return
    path = os.path.join(suite.place, "phoenix.json")
    status, text = suite.export("--format", "otlp-json", "-o", path)
    ours = spans(documents(path))
    status, text = suite.export("--otlp", "--to", "phoenix", env={"PHOENIX_COLLECTOR_ENDPOINT": url, "PHOENIX_PROJECT_NAME": "runs"})
    suite.check("spans are taken", [(status, text)] if status else [], 1)
    theirs = stored(url, "runs", len(ours))
    suite.check("its API has every span with its parent, kind, tokens and status", same(ours, theirs), len(ours))
    status, text = suite.export("--otlp", "--to", "phoenix", env={"PHOENIX_COLLECTOR_ENDPOINT": url, "PHOENIX_PROJECT_NAME": "runs"})
    suite.check("sent again, they are the same spans", [] if len(stored(url, "runs", len(ours))) == len(ours) else [(status, text)], 1)
    status, text = suite.export("--otlp", "--signal", "traces", "--format", "otlp-json", "--endpoint", url)
    suite.check("what it says of JSON is shown", [] if status == 3 and "415" in text and "application/json" in text
                else [(status, text)], 1)
