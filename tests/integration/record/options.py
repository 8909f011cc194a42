"""What the options of the recorder change, and the files it leaves."""

import hashlib
import json
import os
import time

from wire import Upstream, ask, whole

METRICS = (
    "# TYPE vllm:gpu_cache_usage_perc gauge\nvllm:gpu_cache_usage_perc{model_name=\"m\"} 0.42\n"
    "# TYPE vllm:num_requests_running gauge\nvllm:num_requests_running{model_name=\"m\"} 1\n"
    "# TYPE vllm:num_requests_waiting gauge\nvllm:num_requests_waiting{model_name=\"m\"} 0\n"
    "# TYPE vllm:kv_cache_usage_perc gauge\nvllm:kv_cache_usage_perc{model_name=\"m\"} 0.42\n"
)
ADDITIVE = {"ttfb_seconds", "ttfc_seconds", "cache_read_tokens", "cache_write_tokens", "reasoning_tokens", "estimated_cost_usd", "partial",
            "inferred", "wall_time_source", "agent_id", "call_id", "hash_ids", "response_id",
            "cost_source", "known_by", "total_only", "refused", "tool_stall_unknown"}


def answer(request):
    if request.target.startswith("/metrics"):
        return whole(METRICS.encode(), kind="text/plain; version=0.0.4")
    value = {"id": "o", "model": "m", "usage": {"prompt_tokens": 6, "completion_tokens": 3, "total_tokens": 9,
                                                "prompt_tokens_details": {"cached_tokens": 4}},
             "choices": [{"index": 0, "message": {"role": "assistant", "content": "yes"}, "finish_reason": "stop"}]}
    return whole(json.dumps(value).encode())


def recorded(suite, upstream, options, wait=0.0, **others):
    with suite.hold(upstream.url, options, **others) as held:
        time.sleep(wait)
        ask(held.urls["openai"], "POST", "/chat/completions", '{"model":"m","messages":[{"role":"user","content":"hi"}]}')
        time.sleep(wait)
        return held.finish()


def names_in(value):
    if isinstance(value, dict):
        return set(value) | {n for v in value.values() for n in names_in(v)}
    return {n for v in value for n in names_in(v)} if isinstance(value, list) else set()


def plain(suite, upstream):
    done = recorded(suite, upstream, ["--plain-v1"])
    trace = done.trace()
    used = names_in(trace.nodes) | names_in(trace.summary)
    suite.one("--plain-v1 writes no additive field", not used & ADDITIVE, f"{used & ADDITIVE}")
    suite.check("and the trace is valid", [("trace", f) for f in suite.strict(done.where)], 1)
    usual = recorded(suite, upstream, [])
    suite.one("without it they are there", "cache_read_tokens" in names_in(usual.trace().nodes), "no cache_read_tokens")


def marks(suite, upstream):
    done = recorded(suite, upstream, ["--tag", "task=t1", "--tag", "kind=probe", "--framework", "langgraph"])
    with open(os.path.join(done.where, "meta.json"), encoding="utf-8") as f:
        meta = json.load(f)
    suite.one("tags are in meta.json", meta["tags"] == {"task": "t1", "kind": "probe"}, f"{meta['tags']}")
    frameworks = {n["framework"] for n in done.trace().nodes}
    suite.one("the framework is in every node", frameworks == {"langgraph"}, f"{frameworks}")
    for name in ("@last", "tag:task=t1", meta["run_id"], meta["run_id"][-8:]):
        status, text = suite.show(name)
        suite.one(f"show finds the run by {'its id' if '-' in name or name[0] not in '@t' else name}", status == 0, f"{status}: {text[:200]}")


def files(suite, upstream):
    done = recorded(suite, upstream, [])
    found = done.files()
    suite.one("a run has three files", sorted(found) == ["agent-trace.jsonl", "meta.json", "summary.json"], f"{sorted(found)}")
    meta = json.loads(found["meta.json"])
    bad = [(f["name"], "its digest is another") for f in meta["files"] if hashlib.sha256(found[f["name"]]).hexdigest() != f["sha256"]]
    suite.check("meta.json has the digests of the others", bad, len(meta["files"]))
    wanted = {"schema", "run_id", "kind", "versions", "program", "argument_count", "started", "ended", "exit", "tags", "files"}
    suite.one("and says what ran, not with which words", wanted <= set(meta) and meta["program"] == "sh", f"{sorted(meta)}")
    summary = json.loads(found["summary.json"])
    suite.one("summary.json is the last line of the trace", summary == done.trace().summary, f"{summary}")


def default_place(suite, upstream):
    place = suite.directory("default")
    arguments = [w for w in suite.arguments("X", upstream.url) if w not in ("-o", "X")]
    status, _, err, _ = suite.run([*arguments[1:], "true"], cwd=place)
    runs = os.listdir(os.path.join(place, "runs")) if os.path.isdir(os.path.join(place, "runs")) else []
    right = status == 0 and len(runs) == 1 and os.path.exists(os.path.join(place, "runs", runs[0], "agent-trace.jsonl"))
    suite.one("without -o a run is in runs/ under its id", right, f"{status} {runs} {err[-200:]}")


def metrics(suite, upstream):
    done = recorded(suite, upstream, ["--engine-metrics", upstream.url + "/metrics"], wait=0.4)
    labels = [c["model_call"]["kv_pressure_label"] for c in done.trace().models()]
    suite.one("with the engine's metrics the pressure is measured", labels == ["measured"], f"{labels} {done.err[-200:]}")
    done = recorded(suite, upstream, ["--engine-metrics", "http://127.0.0.1:9/metrics"], wait=0.1)
    labels = [c["model_call"]["kv_pressure_label"] for c in done.trace().models()]
    suite.one("without an engine it is not", labels == ["inferred_without_engine_metrics"], f"{labels}")


def unsent(suite):
    """What of an address would not be sent is refused, and never shown: it may be a key."""
    bad, password = [], f"pw-{suite.random.randrange(10**12)}"
    addresses = (f"http://user:{password}@127.0.0.1:9/v1", f"http://{password}@127.0.0.1:9/v1", f"http://127.0.0.1:9/v1?key={password}")
    for address in addresses:
        for words, more in ((["--upstream", f"openai={address}"], {}), ([], {"OPENAI_BASE_URL": address})):
            done = suite.record(["echo", "ran"], options=words, more=more)
            if done.status != 2 or b"ran" in done.out or password in done.err or os.path.exists(done.where):
                bad.append((f"{words or more}", f"exit {done.status}, {done.err!r}"))
    suite.check("an address with a password or query is refused", bad, 6)


def wrong(suite):
    bad = []
    for words in (["--upstream", "openai"], ["--upstream", "openai=ftp://x"], ["--upstream", "=http://x"], ["--framework", "none of these"],
                  ["--tag", "=x"], ["--no-such-option"]):
        status, out, _, _ = suite.run(["record", *words, "--", "echo", "ran"])
        if status != 2 or b"ran" in out:
            bad.append((" ".join(words), f"exit {status}, {out!r}"))
    status, out, _, _ = suite.run(["record"])
    bad += [("no command", f"exit {status}")] if status != 2 and b"Usage" not in out else []
    suite.check("wrong usage is refused before anything runs", bad, 7)


def run(suite):
    with Upstream(answer) as upstream:
        for part in (plain, marks, files, default_place, metrics):
            part(suite, upstream)
    unsent(suite)
    wrong(suite)
