"""What goes wrong at the other end: statuses as ruled, and no row lost."""

import email.utils
import json
import os
import socket
import threading
import time

from running import bench, events, files, findings, mock, prompt, rows, rule

FAST = ["--retry-delay", "20"]


def by_id(run):
    return {r["prompt_id"]: r for r in rows(run)}


def outcome(row):
    return row["availability_status"], row["success"], row["failure_type"]


def traced(run, attempts):
    """Every attempt is a call of the trace, at the endpoint that was called; a retry stands between two of a row."""
    with open(os.path.join(run, "agent-trace.jsonl"), encoding="utf-8") as f:
        nodes = [n for n in map(json.loads, f) if n["event_type"] == "node"]
    calls = [n for n in nodes if n["kind"] == "model_call"]
    kinds = {n["node_id"]: n["kind"] for n in nodes}
    bad = [] if len(calls) == attempts else [("agent-trace.jsonl", f"{len(calls)} calls of {attempts} attempts")]
    bad += [("endpoint", n["model_call"]["endpoint"]) for n in calls
            if not (n["model_call"]["endpoint"].startswith("http://127.0.0.1:") and n["model_call"]["endpoint"].endswith("/v1/chat/completions"))]
    bad += [("parents", str(n["parent_node_ids"])) for n in nodes for p in n["parent_node_ids"]
            if kinds[p] != ("model_call" if n["kind"] == "retry" else "retry")]
    return bad


def case(suite, name, rules, wanted, more=(), target="mock:m", attempts=None, check=None):
    """One prompt for each wanted outcome; the rules are the mock's."""
    prompts = [prompt(i) for i in range(len(wanted))]
    where, path, script = files(suite, "fault", prompts, rules)
    status, _, err = bench(suite, where, ["run", path, "--target", target, "--mock-script", script, "--run-id", "r", *FAST, *more])
    run = os.path.join(where, "runs", "r")
    due = 0 if any(w[0] == "ok" for w in wanted) else 3
    bad = [("exit status", f"{status} and not {due}: {err[-300:]}")] if status != due else []
    got = by_id(run)
    if len(got) != len(wanted) or len(rows(run)) != len(wanted):
        bad.append(("rows", f"{len(rows(run))} of {len(wanted)}"))
    for i, want in enumerate(wanted):
        row = got.get(f"Q{i}")
        if not row or outcome(row) != want:
            bad.append((f"Q{i}", f"{row and outcome(row)} and not {want}"))
        elif not row["success"] and (row["objective_pass"] is not None or row["violation"] is not None):
            bad.append((f"Q{i}", "was judged"))
        if attempts and row and row["attempts"] != attempts[i]:
            bad.append((f"Q{i}", f"{row['attempts']} attempts and not {attempts[i]}"))
    bad += check(run, got) if check else []
    bad += traced(run, sum(r["attempts"] for r in got.values()))
    bad += findings(suite, run)
    suite.check(name, bad, len(wanted))


OK = ("ok", True, None)


def retried(run, _):
    waits = [e for e in events(run) if e["event"] == "retry"]
    return [] if waits else [("events.jsonl", "has no retry")]


def limits(suite):
    once = {"last": "number 0.", "nth": 1}
    case(suite, "429, then an answer", [rule(once, fault={"status": 429}), rule(text="fine")], [OK], attempts=[2], check=retried)

    def waited(run, got):
        r = got["Q0"]
        long = r["ended_at_ms"] - r["started_at_ms"]
        bad = [] if 1000 <= long else [("Q0", f"was asked again after {long} ms, before Retry-After")]
        return bad + ([] if r["e2e_ms"] <= long - 900 else [("Q0", f"e2e_ms {r['e2e_ms']} of {long} has the wait in it")])

    case(suite, "Retry-After in seconds", [rule(once, fault={"status": 429, "headers": {"Retry-After": "1"}}), rule(text="fine")],
         [OK], attempts=[2], check=waited)
    at = int(time.time()) + 3

    def dated(_, got):
        last = got["Q0"]["ended_at_ms"] - got["Q0"]["e2e_ms"]
        return [] if last >= at * 1000 - 5 else [("Q0", f"was asked again {at * 1000 - last} ms before the date")]

    date = email.utils.formatdate(at, usegmt=True)
    case(suite, "Retry-After as a date", [rule(once, fault={"status": 429, "headers": {"Retry-After": date}}), rule(text="fine")],
         [OK], attempts=[2], check=dated)
    case(suite, "429 for good", [rule(fault={"status": 429})], [("rate_limited", False, "http_429")] * 2, ["--retries", "2"],
         attempts=[3, 3])
    burst = [rule({"last": f"number {q}.", "nth": n}, fault={"status": 503}) for q in range(4) for n in (1, 2)]
    case(suite, "a burst of 503", [*burst, rule(text="fine")], [OK] * 4, attempts=[3] * 4)
    case(suite, "503 for good", [rule(fault={"status": 503})], [("error", False, "http_503")], ["--retries", "1"], attempts=[2])


def answers(suite):
    case(suite, "other statuses are not tried again",
         [rule({"last": "number 0."}, fault={"status": 500}), rule({"last": "number 1."}, fault={"status": 400}), rule(text="fine")],
         [("error", False, "http_500"), ("error", False, "http_400"), OK], attempts=[1] * 3)
    for status in (401, 403):
        case(suite, f"{status} three times: the key is not good, so nothing more is sent", [rule(fault={"status": status})],
             [("auth_error", False, f"http_{status}")] * 4, ["--concurrency", "1"], attempts=[1, 1, 1, 0])
    case(suite, "a refusal of one prompt does not cost the others",
         [rule({"last": "number 0."}, fault={"status": 401}), rule({"last": "number 1."}, fault={"status": 404}), rule(text="fine")],
         [("auth_error", False, "http_401"), ("skipped_unavailable", False, "model_not_found"), OK], attempts=[1] * 3)
    case(suite, "cut streams, bad JSON, empty answers",
         [rule({"last": "number 0."}, text="this is a fine long answer", fault={"cut_after": 2}),
          rule({"last": "number 1."}, text="fine", fault={"bad_json": True}), rule({"last": "number 2."}, text=""),
          rule({"last": "number 3."}, text="  \n "), rule(text="fine")],
         [("error", False, "cut_stream"), ("error", False, "bad_json"), ("ok", False, "empty_response"),
          ("ok", False, "empty_response"), OK])
    case(suite, "a stall ends at the timeout", [rule({"last": "number 0."}, text="fine", fault={"stall_ms": 60000}), rule(text="fine")],
         [("error", False, "timeout"), OK], ["--timeout", "4"], attempts=[1, 1])


def absent(suite):
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        free = s.getsockname()[1]
    for provider, arguments, want, due in (
            ("ollama_openai", ["--base", f"ollama_openai=http://127.0.0.1:{free}/v1"], ("skipped_unavailable", "connect_error"), 3),
            ("openai_responses", [], ("auth_error", "openai_api_key_missing"), 2),
            ("claude_code_cli", ["--base", "claude_code_cli=/nowhere/claude"], ("skipped_unavailable", "claude_cli_missing"), 3)):
        where, path, _ = files(suite, "absent", [prompt(i) for i in range(5)])
        line = ["run", path, "--target", f"{provider}:m", "--retries", "1", *FAST, *arguments]
        status, _, err = bench(suite, where, [*line, "--run-id", "strict"])
        bad = [("exit status", f"{status} and not {due}: {err[-200:]}")] if status != due else []
        if os.path.exists(os.path.join(where, "runs")) != (due == 3):
            bad.append(("runs", "is there though nothing may be made" if due == 2 else "is not there"))
        status, _, err = bench(suite, where, [*line, "--run-id", "r", "--allow-unreachable"])
        run = os.path.join(where, "runs", "r")
        got = rows(run)
        bad += [("exit status", f"{status}: {err[-200:]}")] if status else []
        bad += [(r["prompt_id"], f"{outcome(r)}") for r in got
                if (r["availability_status"], r["failure_type"]) != want or r["success"]]
        bad += [(r["prompt_id"], f"e2e_ms {r['e2e_ms']}") for r in got[1:] if r["e2e_ms"] and r["attempts"] == 0]
        if len(got) != 5:
            bad.append(("rows", str(len(got))))
        suite.check(f"{provider} that is not there: {want[1]}", bad + findings(suite, run), 5)


class Dying:
    """A server that answers so many requests and is gone then."""

    def __init__(self, answers):
        self.left = answers
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self.listener.getsockname()[1]}/v1"
        threading.Thread(target=self.serve, daemon=True).start()

    def serve(self):
        try:
            while self.left > 0:
                conn, _ = self.listener.accept()
                with conn:
                    conn.settimeout(60)
                    data = b""
                    while b"\r\n\r\n" not in data:
                        data += conn.recv(65536)
                    head, _, body = data.partition(b"\r\n\r\n")
                    size = int(next(h.split(b":")[1] for h in head.split(b"\r\n") if h.lower().startswith(b"content-length")))
                    while len(body) < size:
                        body += conn.recv(65536)
                    answer = (b'data: {"id":"c","object":"chat.completion.chunk","model":"m","choices":[{"index":0,"delta":'
                              b'{"role":"assistant","content":"fine"},"finish_reason":null}]}\n\n'
                              b'data: {"id":"c","object":"chat.completion.chunk","model":"m","choices":[{"index":0,"delta":{},'
                              b'"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n')
                    conn.sendall(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\nContent-Length: %d\r\n\r\n"
                                 % len(answer) + answer)
                self.left -= 1
        finally:
            self.listener.close()


def dies(suite):
    where, path, _ = files(suite, "dies", [prompt(i) for i in range(20)])
    server = Dying(7)
    status, _, err = bench(suite, where, ["run", path, "--target", "ollama_openai:m", "--base", f"ollama_openai={server.url}", "--run-id",
                                          "r", "--concurrency", "2", "--retries", "2", *FAST])
    run = os.path.join(where, "runs", "r")
    got = rows(run)
    bad = [("exit status", f"{status}: {err[-200:]}")] if status else []
    if len({r["prompt_id"] for r in got}) != 20 or len(got) != 20:
        bad.append(("rows", f"{len(got)} of 20"))
    if sum(r["success"] for r in got) != 7:
        bad.append(("answers", f"{sum(r['success'] for r in got)} of the 7 that were given"))
    left = {(r["availability_status"], r["failure_type"]) for r in got if not r["success"]}
    # a row that was first sent before the last answer came is an error of its own: somebody was there then
    if not left <= {("skipped_unavailable", "connect_error"), ("error", "connect_error"), ("error", "cut_stream")}:
        bad.append(("the rest", str(left)))
    suite.check("a server that dies in the middle: the rest is skipped, not lost", bad + findings(suite, run), 20)


def missing_model(suite):
    where, path, script = files(suite, "model", [prompt(i) for i in range(3)],
                                [rule({"model": "there"}, text="fine")])
    with mock(suite, script) as url:
        bench(suite, where, ["run", path, "--target", "ollama_native:gone", "--target", "ollama_native:there", "--base", f"ollama_native={url}",
                             "--run-id", "r"])
    got = rows(os.path.join(where, "runs", "r"))
    bad = [(r["model"], str(outcome(r))) for r in got if r["model"] == "gone" and
           (r["availability_status"], r["failure_type"]) != ("skipped_unavailable", "model_not_found")]
    bad += [(r["model"], str(outcome(r))) for r in got if r["model"] == "there" and not r["success"]]
    suite.check("a model that is not there is skipped, the next one is asked", bad, len(got))


def budget(suite):
    usage = {"input": 1000, "output": 1000}
    where, path, script = files(suite, "budget", [prompt(i) for i in range(50)], [rule(text="fine", usage=usage)])
    with mock(suite, script) as url:
        status, _, err = bench(suite, where, ["run", path, "--target", "openai_responses:gpt-4o", "--base", f"openai_responses={url}/v1",
                                              "--run-id", "r", "--max-tokens", "1000", "--budget-usd", "0.1", "--concurrency", "1"],
                               {"OPENAI_API_KEY": "k"})
    got = rows(os.path.join(where, "runs", "r"))
    cost = sum(r["cost_usd"] for r in got)
    bad = [] if status == 1 and "budget" in err else [("exit status", f"{status}: {err[-200:]}")]
    if not 0.05 < cost <= 0.1:
        bad.append(("cost", f"{cost} of {len(got)} rows"))
    suite.check("--budget-usd stops before it is spent", bad, len(got))


def run(suite):
    limits(suite)
    answers(suite)
    absent(suite)
    dies(suite)
    missing_model(suite)
    budget(suite)
