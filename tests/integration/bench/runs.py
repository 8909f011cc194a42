"""Whole runs: the suites of the benchmark this one agrees with, every field of every row, every file of a run."""

import json
import os

import model
import recompute
from running import ORDER, bench, files, findings, mock, prompt, rows, rule

SUITES = ("prompts_v1", "prompts_tool_use_v1", "prompts_tool_use_enhanced", "prompts_phase3b")
FILES = ("config.json", "inventory.json", "results.jsonl", "summary.json", "summary.md", "events.jsonl",
         "tool_use_summary.md", "tool_use_summary.csv", "agent-trace.jsonl", "report.html")


def right_answer(p):
    """An answer that the prompt's validator takes."""
    v = p["validator"]
    kind = v["type"]
    if kind == "exact":
        return v["value"]
    if kind == "one_of":
        return v["values"][0]
    if kind == "regex_fullmatch":
        return {"[0-9]+": "16"}.get(v["pattern"], "16")
    if kind == "max_words":
        return "Is it up?"
    if kind == "max_sentences":
        return "All is well."
    if kind == "exact_bullets":
        return "\n".join("- one" for _ in range(v["value"]))
    if kind == "json_keys":
        rules = v.get("key_rules") or {}
        values = {"one_of": lambda r: r["values"][0], "number": lambda r: 7.5}
        return "```json\n" + json.dumps({k: values.get(rules.get(k, {}).get("type"), lambda r: "x")(rules.get(k, {}))
                                         for k in v["required_keys"]}) + "\n```"
    if kind == "tool_invocation":
        return f"I would run `{v['expected_tools'][0]} --now` and \"{v['expected_tools'][-1]} it\"."
    return "Whatever, wherever: naïve café 雪 \U0001f600."


WRONG = "It's a long story. One could say much more than this! Or not? # memory\n```bash\ndu -sh ~\n```\nand so on and so forth."


def expect(p, text, tool_calls, detector):
    """What the rulings say of an answer."""
    judged = model.judge(p["validator"], text, calls=tool_calls) if p["validator"]["type"] in (
        "tool_sequence", "tool_args") else model.judge(p["validator"], text)
    names = [c["name"] for c in tool_calls] or detector(text)
    if p["validator"]["type"] == "tool_invocation" and tool_calls:
        wanted = [t.lower() for t in p["validator"]["expected_tools"]]
        passed = any(n.lower() in wanted for n in names)
        judged = {"pass": passed, "parsed": {"detected_tools": names, "count": len(names)},
                  "violation": None if passed else f"no_tool_invocation expected={p['validator']['expected_tools']!r}"}
    wanted = p["validator"].get("expected_tools")
    if wanted is None:
        wanted = p.get("expected_tool_calls") or []
    lower = [n.lower() for n in names]
    return {"objective_pass": judged["pass"], "violation": judged["violation"], "parsed_output": judged["parsed"],
            "tool_calls": names, "tool_call_count": len(names), "tool_call_source": "api" if tool_calls else "text",
            "tool_use_success": any(w.lower() in lower for w in wanted) if wanted else bool(names)}


def check_row(row, want, bad, name):
    if [k for k in row if k in ORDER] != ORDER or list(row)[: len(ORDER)] != ORDER:
        bad.append((name, f"the members are {list(row)}"))
    for key, value in want.items():
        # what is wrong with the JSON is told in each parser's own words
        if value == "json_parse_error: " and str(row.get(key)).startswith(value):
            continue
        if key not in row or row[key] != value or type(row[key]) is not type(value):
            bad.append((name, f"{key} is {row.get(key)!r} and not {value!r}"))


def seed_suite(suite, name, path):
    with open(path, encoding="utf-8") as f:
        prompts = json.load(f)
    rules, wanted = [], {}
    for i, p in enumerate(prompts):
        usage = {"input": 100 + i, "output": 7 + i, "cache_read": i}
        calls = []
        expected = p["validator"].get("expected_tools") or p.get("expected_tool_calls")
        if expected and i % 3 == 0:
            calls = [{"name": expected[0].upper(), "arguments": {"n": 1}}, {"name": expected[0].upper(), "arguments": {"n": 2}}]
        for m, text in (("good", right_answer(p)), ("poor", WRONG)):
            said = calls if m == "good" else []
            rules.append(rule({"model": m, "last": p["prompt"]}, text=text, usage=usage, calls=said or None))
            wanted[m, p["id"]] = (p, text, said, usage)
    where, _, script = files(suite, name, rules=rules)
    status, out, err = bench(suite, where, ["run", path, "--target", "mock:good", "--target", "mock:poor", "--mock-script",
                                            script, "--run-id", "r", "--detector", "reference", "--repeat", "2"])
    run = os.path.join(where, "runs", "r")
    bad = [] if status == 0 else [("exit status", f"{status}: {err[-300:]}")]
    got = rows(run)
    keys = [(r["model"], r["prompt_id"], r["repetition"]) for r in got]
    if sorted(keys) != sorted((m, i, k) for m, i in wanted for k in (1, 2)):
        bad.append(("rows", f"{len(keys)} of {2 * len(wanted)}"))
    for row in got:
        p, text, calls, usage = wanted[row["model"], row["prompt_id"]]
        want = {"record_type": "result", "run_id": "r", "provider": "mock", "model": row["model"], "thinking_level": None,
                "prompt_id": p["id"], "prompt_name": p["name"], "availability_status": "ok", "success": True,
                "failure_type": None, "input_tokens": usage["input"], "output_tokens": usage["output"], "raw_output": text,
                "attempts": 1, "cache_read_tokens": usage["cache_read"], **expect(p, text, calls, model.detect)}
        if not usage["cache_read"]:
            want.pop("cache_read_tokens")
        check_row(row, want, bad, f"{row['model']} {p['id']}")
        if not (row["started_at_ms"] <= row["ended_at_ms"] and 0 <= row["ttft_ms"] <= row["e2e_ms"]
                and abs(row["ended_at_ms"] - row["started_at_ms"] - row["e2e_ms"]) <= 3
                and row["scheduled_at_ms"] <= row["started_at_ms"]):
            bad.append((f"{row['model']} {p['id']}", f"its times: {[row[k] for k in row if k.endswith('_ms')]}"))
    suite.check(f"{name}: every field of every row", bad, len(got))
    suite.check(f"{name}: the summary is what Python makes of the rows", [("summary.json", d) for d in recompute.compare(run)], 1)
    suite.check(f"{name}: every file of the run is there, and valid",
                [(f, "is missing") for f in FILES if not os.path.exists(os.path.join(run, f))] + findings(suite, run), len(FILES))
    return run


def doctored(suite, run):
    """A summary with one figure changed is found, by the recomputation and by validate."""
    path = os.path.join(run, "summary.json")
    with open(path, encoding="utf-8") as f:
        right = json.load(f)
    bad = []
    for name, change in (("n_ok", 1), ("objective_pass_rate", -0.25), ("wall_clock_ms", 5), ("success_rate_ok", -0.5)):
        wrong = json.loads(json.dumps(right))
        wrong["models"][0][name] += change
        with open(path, "w", encoding="utf-8") as f:
            json.dump(wrong, f)
        if not recompute.compare(run):
            bad.append((name, "Python does not see it"))
        if not findings(suite, run):
            bad.append((name, "validate does not see it"))
    with open(path, "w", encoding="utf-8") as f:
        json.dump(right, f)
    suite.check("a summary that does not follow from the rows is found", bad, 4)


def whole(suite):
    data = suite.data("the seed's suites", "openclaw")
    for name in SUITES if data else ():
        doctor = seed_suite(suite, name, os.path.join(data, name + ".json"))
    if data:
        doctored(suite, doctor)


def detectors(suite):
    """The same answers, both detectors: the reference misfires where it must."""
    prompts = [prompt(1, {"type": "tool_invocation", "expected_tools": ["du"]})]
    where, path, script = files(suite, "detectors", prompts, [rule(text=WRONG)])
    found = {}
    for d in ("default", "reference"):
        bench(suite, where, ["run", path, "--target", "mock:m", "--mock-script", script, "--run-id", d, "--detector", d])
        found[d] = rows(os.path.join(where, "runs", d))[0]
    bad = []
    if found["default"]["tool_calls"] != ["du"] or not found["default"]["objective_pass"]:
        bad.append(("default", str(found["default"]["tool_calls"])))
    if found["reference"]["tool_calls"] != model.detect(WRONG):
        bad.append(("reference", str(found["reference"]["tool_calls"])))
    suite.check("--detector chooses how tools are found in text", bad, 2)


def secrets(suite):
    """Keys are sent, and are in no file and on no stream."""
    key = "sk-" + "k3yCanary" * 6
    prompts = [prompt(i) for i in range(3)]
    where, path, _ = files(suite, "secrets", prompts, [rule(text="fine")])
    file = suite.write(where, "key.txt", key + "\n")
    header = suite.write(where, "headers.txt", f"X-Canary: {key}\n")
    log = os.path.join(where, "log")
    with mock(suite, log=log) as url:
        for name, arguments, env in (
                ("env", ["--target", "anthropic_messages:m", "--base", f"anthropic_messages={url}"], {"ANTHROPIC_API_KEY": key}),
                ("file", ["--target", "openai_responses:m", "--base", f"openai_responses={url}/v1", "--key-file",
                          f"openai_responses={file}", "--header-file", header], {})):
            status, out, err = bench(suite, where, ["run", path, "--run-id", name, *arguments], env)
            run = os.path.join(where, "runs", name)
            bad = [("status", str(status))] if status else []
            bad += [(r["prompt_id"], r["failure_type"]) for r in rows(run) if not r["success"]]
            for f in os.listdir(run):
                with open(os.path.join(run, f), "rb") as handle:
                    if b"k3yCanary" in handle.read():
                        bad.append((f, "has the key"))
            bad += [(s, "has the key") for s, text in (("stdout", out), ("stderr", err)) if "k3yCanary" in text]
            suite.check(f"a key from {'the environment' if name == 'env' else 'a file'} is written nowhere", bad, len(FILES))


def providers(suite):
    """Each provider against the mock's own shape of its API."""
    prompts = [prompt(i, expected_tool_calls=["look"]) for i in range(4)]
    usage = {"input": 40, "output": 9, "cache_read": 8}
    rules = [rule({"last": "number 1."}, text="fine", usage=usage), rule({"last": "number 2."}, text="", usage=usage),
             rule({"last": "number 3."}, text="fine", calls=[{"name": "look", "arguments": {"at": "x"}}], usage=usage),
             rule(text="all fine here", usage=usage, pace={"ttft_ms": 30, "itl_ms": 5})]
    where, path, script = files(suite, "providers", prompts, rules)
    with mock(suite, script) as url:
        for name, base, thinking in (("ollama_openai", "/v1", ""), ("openai_responses", "/v1", "@high"), ("ollama_native", "", ""),
                                     ("anthropic_messages", "", "@low"), ("mock", "/v1", "")):
            for how in ([], ["--no-stream"]):
                run_id = name + "".join(how)
                status, _, err = bench(suite, where, ["run", path, "--target", f"{name}:m{thinking}", "--base", f"{name}={url}{base}",
                                                      "--run-id", run_id, *how],
                                       {"OPENAI_API_KEY": "k", "ANTHROPIC_API_KEY": "k"})
                bad = [("status", f"{status}: {err[-300:]}")] if status else []
                run = os.path.join(where, "runs", run_id)
                for r in rows(run):
                    empty = r["prompt_id"] == "Q2"
                    tools = ["look"] if r["prompt_id"] == "Q3" else []
                    check_row(r, {"provider": name, "model": "m", "thinking_level": thinking[1:] or None,
                                  "availability_status": "ok", "success": not empty,
                                  "failure_type": "empty_response" if empty else None,
                                  "objective_pass": None if empty else True, "tool_calls": tools,
                                  "input_tokens": 40, "output_tokens": 9}, bad, r["prompt_id"])
                    if (r["ttft_ms"] is None) != (bool(how) or empty):
                        bad.append((r["prompt_id"], f"ttft_ms is {r['ttft_ms']}"))
                    # the mock waits 30 ms on a clock of milliseconds; what it sends late, it sends at once
                    if not how and r["prompt_id"] == "Q0" and not 28 <= r["ttft_ms"] <= r["e2e_ms"]:
                        bad.append((r["prompt_id"], f"ttft_ms {r['ttft_ms']} of {r['e2e_ms']}"))
                bad += findings(suite, run)
                suite.check(f"{name}{' whole' if how else ''}: text, tools, tokens, times", bad, 4)


def claude(suite):
    """The program `claude`, played by a script: each way of its own to end."""
    fake = os.path.join(os.path.dirname(os.path.abspath(__file__)), "fake-claude")
    wanted = {"plain": ("ok", None), "tool": ("ok", None), "noise": ("ok", None), "garbage": ("error", "bad_json"),
              "login": ("skipped_unavailable", "claude_auth"), "exit": ("error", "exception"),
              "cut": ("error", "cut_stream"), "hang": ("error", "timeout"), "quota": ("rate_limited", "claude_quota")}
    for word, (status, failure) in wanted.items():
        p = prompt(1, {"type": "noop"})
        p["prompt"] += "" if word == "plain" else f" fake:{word}"
        where, path, _ = files(suite, "claude", [p])
        code, _, err = bench(suite, where, ["run", path, "--target", "claude_code_cli:sonnet@high", "--base", f"claude_code_cli={fake}",
                                            "--run-id", "r", "--timeout", "2" if word == "hang" else "60", "--retries", "0"])
        row = rows(os.path.join(where, "runs", "r"))[0]
        bad = [("exit status", f"{code}: {err[-200:]}")] if code != (0 if status == "ok" else 3) else []
        if (row["availability_status"], row["failure_type"]) != (status, failure):
            bad.append((word, f"{row['availability_status']} {row['failure_type']}"))
        if status == "ok" and (row["ttft_ms"] is None or not row["input_tokens"] or "cost_usd" not in row):
            bad.append((word, "has no time to the first token, no tokens or no cost"))
        if word == "tool" and row["tool_call_source"] != "api":
            bad.append((word, f"tools {row['tool_calls']} from {row['tool_call_source']}"))
        suite.check(f"claude_code_cli, {word}: {status} {failure or ''}", bad, 1)


def refused(suite):
    """A suite that is wrong is refused with its place, and nothing is sent."""
    where, _, _ = files(suite, "refused")
    bad_suite = suite.write(where, "bad.json", '[\n  {"id": "a", "name": "a", "prompt": "p",\n   "validator": {"type": "exactly"}}\n]')
    status, out, err = bench(suite, where, ["run", bad_suite, "--target", "mock:m"])
    bad = []
    if status != 3 or out or "bad.json:3:" not in err or "nothing was sent" not in err:
        bad.append(("an unknown validator", f"{status}: {err[-300:]}"))
    if os.path.exists(os.path.join(where, "runs")):
        bad.append(("runs", "was made"))
    status, _, err = bench(suite, where, ["run", bad_suite, "--target", "mock:m@deep"])
    if status != 2 or "thinking level" not in err:
        bad.append(("a thinking level that is none", f"{status}: {err[-200:]}"))
    suite.check("what is wrong is told before anything is sent", bad, 2)


def run(suite):
    whole(suite)
    detectors(suite)
    secrets(suite)
    providers(suite)
    claude(suite)
    refused(suite)
