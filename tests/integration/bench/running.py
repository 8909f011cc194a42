"""The program against its mock server: scripts, runs, rows."""

import contextlib
import json
import os
import signal
import subprocess

import harness

ORDER = ["record_type", "run_id", "provider", "model", "thinking_level", "prompt_id", "prompt_name", "availability_status",
         "started_at_ms", "ended_at_ms", "e2e_ms", "ttft_ms", "success", "failure_type", "objective_pass", "violation",
         "input_tokens", "output_tokens", "raw_output", "parsed_output", "tool_calls", "tool_call_count",
         "tool_use_success"]  # of the seed


def program():
    return os.path.abspath(os.environ.get("TRACKWAY", "build/trackway"))


def rule(match=None, text=None, fault=None, pace=None, calls=None, usage=None, **reply):
    """A rule of the mock's script."""
    out = {"match": match or {}}
    if text is not None:
        reply["text"] = text
    if calls is not None:
        reply["tool_calls"] = calls
    if usage is not None:
        reply["usage"] = usage
    if reply:
        out["reply"] = reply
    if fault:
        out["fault"] = fault
    if pace:
        out["pace"] = pace
    return out


def prompt(number, validator=None, **more):
    return {"id": f"Q{number}", "name": f"question_{number}", "prompt": f"This is question number {number}.",
            "validator": validator or {"type": "contains", "values": ["fine"]}, **more}


def files(suite, name, prompts=None, rules=None):
    """(directory, path of the suite, path of the script) with these in them."""
    where = suite.directory(name)
    paths = [where]
    for file, content in (("suite.json", prompts), ("script.json", rules and {"schema": "trackway.mock/1", "rules": rules})):
        paths.append(content and suite.write(where, file, json.dumps(content, ensure_ascii=False)))
    return paths


def environment(suite, **more):
    env = {k: v for k, v in suite.environment.items() if k not in (
        "OPENAI_API_KEY", "ANTHROPIC_API_KEY", "OLLAMA_HOST", "OLLAMA_OPENAI_BASE", "OPENAI_BASE_URL", "ANTHROPIC_BASE_URL")}
    env.update(more)
    return env


def bench(suite, where, arguments, env=None, timeout=60):
    """(status, stdout, stderr) of `trackway bench ...`"""
    try:
        done = subprocess.run([program(), "bench", *arguments], cwd=where, env=environment(suite, **(env or {})),
                              stdin=subprocess.DEVNULL, capture_output=True, timeout=timeout * harness.SLOWER)
    except subprocess.TimeoutExpired:
        raise harness.Broken(f"it did not end: bench {' '.join(arguments)}") from None
    return done.returncode, done.stdout.decode(errors="replace"), done.stderr.decode(errors="replace")


def start(suite, where, arguments, env=None):
    return subprocess.Popen([program(), "bench", *arguments], cwd=where, env=environment(suite, **(env or {})),
                            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler))


def rows(run):
    path = os.path.join(run, "results.jsonl")
    with open(path, encoding="utf-8") as f:
        return [json.loads(line) for line in f]


def events(run):
    with open(os.path.join(run, "events.jsonl"), encoding="utf-8") as f:
        return [json.loads(line) for line in f]


@contextlib.contextmanager
def mock(suite, script=None, log=None):
    """The address of a mock server of its own, ended at the end."""
    arguments = [program(), "mock", "--listen", "127.0.0.1:0"]
    if script:
        arguments += ["--script", script]
    if log:
        arguments += ["--log", log]
    server = subprocess.Popen(arguments, env=environment(suite), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    try:
        yield server.stdout.readline().decode().strip()
    finally:
        server.terminate()
        server.wait()


def findings(suite, path):
    """What `trackway validate` has against a run, as (file and code, message)."""
    done = subprocess.run([program(), "validate", "--json", "--all", path], cwd=suite.place, env=environment(suite),
                          stdin=subprocess.DEVNULL, capture_output=True, timeout=60 * harness.SLOWER)
    try:
        document = json.loads(done.stdout)
    except ValueError:
        raise harness.Broken(f"validate {path}: {done.stderr[-300:]}") from None
    return [(f"{f['path']} {x['code']}", x["message"]) for f in document["files"] for x in f["findings"]
            if x["severity"] != "info"]
