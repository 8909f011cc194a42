"""What every set needs: a run to export, the command, free ports, servers that are stopped, and spans in one form."""

import json
import os
import socket
import subprocess
import time
import urllib.request

from harness import SLOWER, Suite, jsonl

TRACE = "0192f3a8-7c1e-7d3a-9b1f-0c5d2e8a4f60"
OURS = ("OTEL_", "PHOENIX_", "LANGFUSE_")


def node(number, kind, parents, start, end, **more):
    return {"schema_version": "agent-trace/v1", "event_type": "node", "trace_id": TRACE, "node_id": f"n{number}",
            "parent_node_ids": parents, "timestamp_start": start, "timestamp_end": end, "kind": kind,
            "framework": "langgraph", **more}


def model_call(failed):
    return {"endpoint": "http://localhost:8000/v1/chat/completions", "model": "deepseek-ai/DeepSeek-V4-Pro",
            "input_tokens": 8000, "output_tokens": 0 if failed else 120, "input_tokens_source": "api",
            "output_tokens_source": "api", "ttft_seconds": 0.4, "tpot_seconds": 0.012, "latency_seconds": 2.0,
            "tool_choice": "auto", "stream": True, "stop_reason": "error" if failed else "tool_use",
            "request_id": "req_1", "kv_pressure_label": "measured"}


TOOL = {"name": "filesystem.read_file", "wall_time_seconds": 0.5, "stall_seconds": 0.4, "result_size_bytes": 4096,
        "result_kind": "text", "is_external": True, "is_io_bound": True}


def make_run(rounds):
    """A run of a question and so many calls of model and tool, as lines; it has 2 * rounds + 2 spans."""
    at = 1777550400.0
    nodes = [node(0, "user_input", [], at, at + 0.05)]
    for i in range(rounds):
        at += 3
        nodes.append(node(2 * i + 1, "model_call", [f"n{2 * i}"], at, at + 2, model_call=model_call(i % 10 == 9)))
        nodes.append(node(2 * i + 2, "tool_call", [f"n{2 * i + 1}"], at + 2, at + 2.5, tool_call=TOOL))
    end = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(at + 3))
    summary = {"schema_version": "agent-trace/v1", "event_type": "summary", "trace_id": TRACE,
               "started_at": "2026-04-30T12:00:00Z", "completed_at": end, "total_seconds": at + 3 - 1777550400,
               "node_counts": {"user_input": 1, "model_call": rounds, "tool_call": rounds},
               "total_tokens": {"input": 8000 * rounds, "output": 120 * (rounds - rounds // 10)},
               "tool_stall_total_seconds": 0.4 * rounds, "tool_stall_pct": 0.4 * rounds / (3 * rounds + 3), "exit_status": "success",
               "error_message": None, "framework_version": {"langgraph": "1.0"}, "rig_label": "auto", "engine": "vllm",
               "redaction": {"prompts_redacted": True, "tool_args_redacted": True}}
    return jsonl(nodes + [summary])


class Exporting(Suite):
    def __init__(self, program, shared):
        super().__init__(program, shared)
        self.environment = {k: v for k, v in self.environment.items() if not k.startswith(OURS)}
        self.run_file = self.write(self.place, "agent-trace.jsonl", make_run(20))
        self.children = []

    def __exit__(self, *rest):
        for child in self.children:
            self.stop(child)
        super().__exit__(*rest)

    def can_send(self):
        """Whether the program has the command; says so when it has not."""
        status, out, _, _ = self.run(["export", "--help"])
        if status == 0 and b"--otlp" in out:
            return True
        self.skip("export --otlp", "this build does not have it")
        return False

    def export(self, *arguments, run=None, env=None):
        """(status, stderr)"""
        plain = self.environment
        words = [self.program, "export", run or self.run_file, *arguments]
        done = subprocess.run(words, cwd=self.place, env={**plain, **(env or {})}, stdin=subprocess.DEVNULL,
                              capture_output=True, timeout=180 * SLOWER)
        return done.returncode, done.stderr.decode(errors="replace")

    def start(self, words, log, env=None):
        with open(log, "wb") as out:
            child = subprocess.Popen(words, cwd=self.place, env={**self.environment, **(env or {})},
                                     stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.STDOUT)
        self.children.append(child)
        return child

    def stop(self, child):
        if child.poll() is None:
            child.terminate()
            try:
                child.wait(20)
            except subprocess.TimeoutExpired:
                child.kill()
                child.wait()


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def fetch(url):
    with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(url, timeout=30) as answer:
        return json.load(answer)


def wait_for_port(port, child, seconds):
    """Whether somebody listens before the time is over or the child is gone."""
    end = time.monotonic() + seconds * SLOWER
    while time.monotonic() < end and child.poll() is None:
        with socket.socket() as s:
            if s.connect_ex(("127.0.0.1", port)) == 0:
                return True
        time.sleep(0.2)
    return False


# ---- spans in one form ----


def value(v):
    (kind, x), = v.items() if v else [("stringValue", "")]
    if kind == "intValue":
        return int(x)
    if kind == "doubleValue":
        return float(x)
    if kind == "arrayValue":
        return [value(e) for e in x.get("values", [])]
    if kind == "kvlistValue":
        return attributes(x.get("values", []))
    return x


def attributes(pairs):
    return {p["key"]: value(p["value"]) for p in pairs}


def spans(documents):
    """id -> what is known of the span; of OTLP in JSON, whatever the batches."""
    found = {}
    for d in documents:
        for r in d.get("resourceSpans", []):
            for s in r.get("scopeSpans", []):
                for x in s.get("spans", []):
                    status = x.get("status") or {}
                    found[x["spanId"]] = {
                        "trace": x["traceId"], "parent": x.get("parentSpanId") or "", "name": x["name"],
                        "kind": x.get("kind", 0), "start": int(x["startTimeUnixNano"]), "end": int(x["endTimeUnixNano"]),
                        "attributes": attributes(x.get("attributes", [])),
                        "status": (status.get("code", 0), status.get("message", "")),
                        "links": sorted((k["spanId"], str(attributes(k.get("attributes", [])))) for k in x.get("links", [])),
                        "resource": attributes(r["resource"].get("attributes", [])),
                        "scope": s.get("scope", {}).get("name", ""), "schema": s.get("schemaUrl", ""),
                    }
    return found


def points(documents):
    """(metric, its attributes) -> its numbers"""
    found = {}
    for d in documents:
        for r in d.get("resourceMetrics", []):
            for s in r.get("scopeMetrics", []):
                for m in s.get("metrics", []):
                    for p in (m.get("histogram") or m.get("sum") or {}).get("dataPoints", []):
                        key = (m["name"], str(sorted(attributes(p.get("attributes", [])).items())))
                        found[key] = (m.get("unit"), int(p.get("count", 0)), p.get("sum"), p.get("asInt"),
                                      [int(c) for c in p.get("bucketCounts", [])], p.get("explicitBounds"))
    return found


def documents(path):
    """One JSON document, or one a line."""
    with open(path, encoding="utf-8") as f:
        text = f.read()
    try:
        return [json.loads(text)]
    except ValueError:
        return [json.loads(line) for line in text.splitlines() if line.strip()]


def differences(ours, theirs):
    bad = [(i, "is not there") for i in ours if i not in theirs] + [(i, "was not sent") for i in theirs if i not in ours]
    for i in ours:
        if i in theirs and ours[i] != theirs[i]:
            bad.append((i, next((f"{k}: {ours[i][k]!r} became {theirs[i][k]!r}" for k in ours[i]
                                 if ours[i][k] != theirs[i][k]), "differs") if isinstance(ours[i], dict)
                        else f"{ours[i]!r} became {theirs[i]!r}"))
    return bad
