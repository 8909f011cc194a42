"""Runs that are stopped: by Ctrl-C, by kill -9 at any moment; and gone on with."""

import json
import os
import signal
import time

import harness
import recompute
from running import bench, events, files, findings, mock, prompt, rows, rule, start

PROMPTS = 40


def parts(suite, name):
    rules = [rule({"last": f"number {i}.", "nth": 1}, fault={"status": 503}) for i in range(0, PROMPTS, 9)]
    rules.append(rule(text="it is fine", pace={"ttft_ms": 8, "itl_ms": 2}))
    return files(suite, name, [prompt(i) for i in range(PROMPTS)], rules)


def arguments(path, url, run_id):
    return ["run", path, "--target", "ollama_openai:a", "--target", "ollama_openai:b", "--base", f"ollama_openai={url}/v1", "--run-id", run_id,
            "--repeat", "2", "--retry-delay", "10", "--concurrency", "4"]


def keys(got):
    return sorted((r["model"], r["prompt_id"], r["repetition"]) for r in got)


WANTED = sorted((m, f"Q{i}", k) for m in "ab" for i in range(PROMPTS) for k in (1, 2))


def there(run):
    """Rows that are whole; the last line may be torn."""
    try:
        with open(os.path.join(run, "results.jsonl"), "rb") as f:
            lines = f.read().split(b"\n")
    except FileNotFoundError:
        return []
    return [json.loads(line) for line in lines[:-1]]


def finish(suite, where, run, bad):
    for _ in range(3):
        if not os.path.exists(os.path.join(run, "config.json")):
            return False  # it was ended before it had begun
        status, _, err = bench(suite, where, ["run", "--resume", "r"])
        if status == 0:
            return True
        bad.append(("--resume", f"{status}: {err[-300:]}"))
    return True


def killed(suite):
    random, count = suite.random("kills"), int(os.environ.get("KILLS", "12"))
    bad, torn = [], 0
    for n in range(count):
        where, path, script = parts(suite, "kill")
        run = os.path.join(where, "runs", "r")
        with mock(suite, script) as url:
            child = start(suite, where, arguments(path, url, "r"))
            time.sleep(random.uniform(0.02, 0.9))
            child.kill()
            child.communicate()
            before = there(run)
            if not finish(suite, where, run, bad):
                continue
        after = rows(run)
        torn += any(e["event"] == "torn_line_removed" for e in events(run))
        if keys(after) != WANTED:
            bad.append((f"kill {n}", f"{len(after)} rows, {len(set(keys(after)))} of {len(WANTED)} different"))
        if [json.dumps(r) for r in after[: len(before)]] != [json.dumps(r) for r in before]:
            bad.append((f"kill {n}", "rows that were there changed"))
        bad += findings(suite, run) + [("summary", d) for d in recompute.compare(run)]
    suite.check("kill -9, then --resume: every row once", bad, count)


def torn_lines(suite):
    """A last line cut at any place."""
    where, path, script = files(suite, "torn", [prompt(i) for i in range(4)], [rule(text="fine")])
    run = os.path.join(where, "runs", "r")
    bench(suite, where, ["run", path, "--target", "mock:m", "--mock-script", script, "--run-id", "r"])
    file = os.path.join(run, "results.jsonl")
    with open(file, "rb") as f:
        whole = f.read()
    bad = []
    last = whole.rstrip(b"\n").rfind(b"\n") + 1
    places = sorted({last, last + 1, last + 100, len(whole) - 2, len(whole) - 1})
    for at in places:
        with open(file, "wb") as f:
            f.write(whole[:at])
        status, _, err = bench(suite, where, ["run", "--resume", "r", "--mock-script", script])
        got = rows(run)
        if status or sorted(r["prompt_id"] for r in got) != ["Q0", "Q1", "Q2", "Q3"]:
            bad.append((f"at {at}", f"{status}: {[r['prompt_id'] for r in got]} {err[-200:]}"))
        bad += findings(suite, run)
    suite.check("a torn last line is asked again", bad, len(places))


def interrupted(suite):
    for number, status in ((signal.SIGINT, 130), (signal.SIGTERM, 143)):
        where, path, script = parts(suite, "stop")
        run = os.path.join(where, "runs", "r")
        bad = []
        with mock(suite, script) as url:
            child = start(suite, where, arguments(path, url, "r"))
            for _ in range(6000):
                time.sleep(0.01)
                if len(there(run)) >= 10 or child.poll() is not None:
                    break
            child.send_signal(number)
            try:
                out, err = child.communicate(timeout=60 * harness.SLOWER)
            except Exception:
                child.kill()
                child.communicate()
                raise harness.Broken("a signal does not end it") from None
            if child.returncode != status:
                bad.append(("exit status", f"{child.returncode} and not {status}"))
            if b"--resume" not in err:
                bad.append(("standard error", err[-200:].decode(errors="replace")))
            before = rows(run)
            bad += [("summary", d) for d in recompute.compare(run)]
            bad += [f for f in findings(suite, run) if "incomplete" not in f[1] and "stopped" not in f[1]]
            finish(suite, where, run, bad)
        after = rows(run)
        if keys(after) != WANTED or not 10 <= len(before) < len(WANTED):
            bad.append(("rows", f"{len(before)}, then {len(after)} of {len(WANTED)}"))
        bad += findings(suite, run)
        suite.check(f"{signal.Signals(number).name}: a valid summary, exit {status}, and it goes on", bad, len(after))


def twice(suite):
    """A run that is complete has nothing left to ask; one that is open is not opened again."""
    where, path, script = files(suite, "twice", [prompt(i) for i in range(3)], [rule(text="fine", pace={"ttft_ms": 1500})])
    first = ["run", path, "--target", "mock:m", "--mock-script", script, "--run-id", "r"]
    child = start(suite, where, first)
    run = os.path.join(where, "runs", "r")
    for _ in range(6000):
        time.sleep(0.01)
        if os.path.exists(os.path.join(run, "results.jsonl")) or child.poll() is not None:
            break
    child.send_signal(signal.SIGSTOP)  # however long the second one takes, the first has it open
    status, _, err = bench(suite, where, ["run", "--resume", "r"])
    bad = [] if status == 3 and "open" in err else [("a second one", f"{status}: {err[-200:]}")]
    child.send_signal(signal.SIGCONT)
    child.communicate()
    before = rows(run)
    status, _, err = bench(suite, where, ["run", "--resume", "r", "--mock-script", script])
    if status or rows(run) != before or len(before) != 3:
        bad.append(("--resume of a complete run", f"{status}: {len(rows(run))} rows"))
    status, _, err = bench(suite, where, first)
    if status != 2 or "--resume" not in err or rows(run) != before:
        bad.append(("the same id again", f"{status}: {err[-200:]}"))
    suite.check("a run is never written over, nor by two", bad, 3)


def run(suite):
    killed(suite)
    torn_lines(suite)
    interrupted(suite)
    twice(suite)
