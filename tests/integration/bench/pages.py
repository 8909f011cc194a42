"""Runs that were never run: directories with the rows that a page is made of."""

import json
import os

HOSTILE = [
    "<script>window.pwned=1</script>",
    "<img src=x onerror=alert(1)>",
    "'\"><svg onload=alert(2)>",
    "</title></style></svg><h1>mine</h1>",
    "evil\u202egpj.exe\u2066",
    "\u0645\u0631\u062d\u0628\u0627 \u05e9\u05dc\u05d5\u05dd",
    "bell\u0007 esc\u001b[31m nul\u0000 del\u007f",
    "z" + "\u0301\u0323" * 60,
    "a" * 3000,
    "&lt;b&gt; &amp; ]]> <!-- --> <![CDATA[",
    "\U000e0049\U000e0047 tags, \ufeff, \u200b, \ufffe",
    "javascript:alert(3)",
]

PROMPTS = [("P%02d" % i, name) for i, name in enumerate([
    "heartbeat", "short answer", "three bullets", "JSON with keys", "one sentence", "pick a colour", "exact word",
    "free memory", "disk usage", "list files", "weather by tool", "read a page", "summarise mail", "sort numbers",
    "dates in ISO form", "refuse politely", "no preamble", "translate", "extract names", "plan a day",
])]


def row(run, target, prompt, number, **more):
    provider, model, thinking = target
    r = {
        "record_type": "result", "run_id": run, "provider": provider, "model": model, "thinking_level": thinking,
        "prompt_id": prompt[0], "prompt_name": prompt[1], "availability_status": "ok", "started_at_ms": 1789990000000 +
        number * 40, "ended_at_ms": 1789990000000 + number * 40 + 500, "e2e_ms": 500, "ttft_ms": 120, "success": True,
        "failure_type": None, "objective_pass": True, "violation": None, "input_tokens": 80, "output_tokens": 60,
        "raw_output": "text", "parsed_output": None, "tool_calls": [], "tool_use_success": False, "attempts": 1,
        "repetition": 1, "scheduled_at_ms": 1789990000000 + number * 40,
    }
    r.update(more)
    r["ended_at_ms"] = r["started_at_ms"] + r["e2e_ms"]
    return r


def failed(status, failure):
    return {"availability_status": status, "success": False, "failure_type": failure, "objective_pass": None,
            "raw_output": "", "input_tokens": None, "output_tokens": None, "ttft_ms": None}


def write(directory, rows, config=None, tail=""):
    os.makedirs(directory, exist_ok=True)
    with open(os.path.join(directory, "results.jsonl"), "w", encoding="utf-8") as f:
        for r in rows:
            f.write(json.dumps(r, ensure_ascii=True) + "\n")
        f.write(tail)
    if config:
        with open(os.path.join(directory, "config.json"), "w", encoding="utf-8") as f:
            json.dump(config, f)
    return directory


def config(run, prompts, **more):
    c = {
        "schema": "trackway.bench-config/1", "run_id": run, "created_at": "2026-09-21T12:06:40Z",
        "trackway_version": "0.1.0", "command": ["trackway", "bench", "run", "--suite", "sanity.json"],
        "suites": [{"path": "suites/sanity.json", "sha256": "ab" * 32}], "suite_digest": "c0ffee" * 10 + "abcd",
        "prompts": [{"id": p[0], "name": p[1], "prompt": f"Please do this: {p[1]}.", "validator": {"type": "noop"}}
                    for p in prompts],
        "targets": [], "repeat": 3, "concurrency": "auto", "timeout_ms": 120000, "retries": 5, "retry_delay_ms": 1000,
        "stream": True, "temperature": 0, "max_tokens": None, "system": None, "detector": "default", "seed": 1,
        "warmup": 0, "budget_usd": None, "price_table": "sha256:" + "12" * 32, "allow_commands": False, "tags": [],
        "variables": {},
    }
    c.update(more)
    return c


# target, how often it passes, median latency, cost of a call, how often a call fails, share of tools
USUAL = [
    (("mock", "swift-8b", None), 0.97, 380, 0.00042, 0.00, 0.95),
    (("mock", "steady-14b", None), 0.90, 900, 0.0011, 0.02, 0.85),
    (("mock", "thinker-32b", "high"), 0.93, 6200, 0.0092, 0.00, 0.78),
    (("mock", "thinker-32b", "low"), 0.84, 2400, 0.0031, 0.00, 0.66),
    (("mock", "old-3b", None), 0.55, 260, 0.00008, 0.00, 0.42),
    (("mock", "busy-70b", None), 0.88, 3100, 0.0051, 0.25, 0.83),
]


def usual(directory, random, repeat=3):
    run, rows, number = os.path.basename(directory), [], 0
    for target, good, median, cost, trouble, tools in USUAL:
        for repetition in range(1, repeat + 1):
            for at, prompt in enumerate(PROMPTS):
                number += 1
                hard = 0.35 if at % 7 == 3 else 0
                taken = max(20, int(median * random.lognormvariate(0, 0.45)))
                more = {"e2e_ms": taken, "ttft_ms": taken // 4, "repetition": repetition, "cost_usd": cost,
                        "cost_estimated": True, "output_tokens": 40 + taken // 30}
                if 7 <= at <= 11:
                    used = random.random() < tools
                    more.update(expects_tools=True, tool_use_success=used, tool_calls=["free"] if used else [])
                if random.random() < trouble:
                    more.update(failed(*random.choice([("rate_limited", "http_429"), ("error", "timeout")])))
                    del more["cost_usd"], more["cost_estimated"]
                elif random.random() > good - hard:
                    more.update(objective_pass=False, violation=random.choice([
                        "exact_mismatch want='HEARTBEAT_OK'", "too_many_words got=61 limit=40", "missing_key:summary",
                        "bullet_count got=5 want=3", "json_parse_error: expected a value at line 1 column 1"]))
                rows.append(row(run, target, prompt, number, **more))
    return write(directory, rows, config(run, PROMPTS, repeat=repeat))


def hostile(directory, random):
    rows = []
    for at, name in enumerate(HOSTILE):
        for prompt, text in enumerate(HOSTILE):
            rows.append(row("run " + HOSTILE[0], (HOSTILE[1] if at == 0 else "mock", name, None), (f"H{prompt}" + text, text),
                            at, e2e_ms=random.randrange(1, 10 ** random.randrange(1, 7)),
                            objective_pass=False, violation=text))
    prompts = [(f"H{i}" + t, t) for i, t in enumerate(HOSTILE)]
    c = config("run " + HOSTILE[0], prompts, command=HOSTILE, suites=[{"path": h, "sha256": h} for h in HOSTILE],
               suite_digest=HOSTILE[2], created_at=HOSTILE[3])
    write(directory, rows, c, "no row\n{}\n")
    with open(os.path.join(directory, "events.jsonl"), "w", encoding="utf-8") as f:
        f.write(json.dumps({"record_type": "event", "event": "run_end", "was_bottleneck": True}) + "\n")
    return directory


def one(directory, _random):
    return write(directory, [row("one", ("mock", "m", None), PROMPTS[0], 1)])


def empty(directory, _random):
    return write(directory, [])


def all_failed(directory, _random):
    return write(directory, [row("failed", ("mock", "m", None), p, i, **failed("skipped_unavailable", "connect_error"))
                             for i, p in enumerate(PROMPTS)])


def many_targets(directory, random):
    return write(directory, [row("targets", ("mock", f"model-{t}", None), p, t, e2e_ms=random.randrange(10, 9000),
                                 objective_pass=(t + i) % 3 > 0, violation=None if (t + i) % 3 else "exact_mismatch")
                             for t in range(200) for i, p in enumerate(PROMPTS[:6])])


def many_prompts(directory, random):
    prompts = [(f"P{i}", f"prompt number {i}") for i in range(1000)]
    return write(directory, [row("prompts", ("mock", f"model-{t}", None), p, t, e2e_ms=random.randrange(10, 9000),
                                 objective_pass=(t + i) % 9 > 0, violation=None if (t + i) % 9 else "exact_mismatch want=" + "x" * 400)
                             for t in range(4) for i, p in enumerate(prompts)], config("prompts", prompts))


ALL = {"usual": usual, "hostile": hostile, "one": one, "empty": empty, "all_failed": all_failed,
       "many_targets": many_targets, "many_prompts": many_prompts}
