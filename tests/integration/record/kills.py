"""The recorder is killed at any moment while an agent talks: what was written stays readable, the run is seen as
interrupted, and the agent gets an error and not silence."""

import json
import os
import subprocess
import time

import harness
from recording import each, python
from wire import chunked, whole

TIMES = int(os.environ.get("KILLS", "40"))
LONGEST = 0.5  # seconds of life that are given
USAGE = {"prompt_tokens": 3, "completion_tokens": 2, "total_tokens": 5}


def answer(request):
    asked = json.loads(request.body)
    if asked["stream"]:
        return chunked(events())
    value = {"id": "x", "model": "m", "usage": USAGE,
             "choices": [{"index": 0, "message": {"role": "assistant", "content": "token"}, "finish_reason": "stop"}]}
    return whole(json.dumps(value).encode())


def events():
    for n in range(4):
        delta = {"content": "token "} if n < 3 else {}
        event = {"id": "x", "model": "m", "choices": [{"index": 0, "delta": delta, "finish_reason": None if n < 3 else "stop"}]}
        yield b"data: " + json.dumps(event).encode() + b"\n\n"
        time.sleep(0.001)
    yield b"data: " + json.dumps({"id": "x", "model": "m", "choices": [], "usage": USAGE}).encode() + b"\n\n"
    yield b"data: [DONE]\n\n"


class Killed:
    def __init__(self, suite, url, delay, content):
        self.where = os.path.join(suite.directory("killed"), "out")
        words = suite.arguments(self.where, url, ["--content"] if content else [])
        recorder = subprocess.Popen(
            words + python(os.path.join("clients", "talker.py")), cwd=suite.place, env=suite.variables(),
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )
        if delay >= 0:
            recorder.stdout.readline()
        time.sleep(abs(delay))
        recorder.kill()
        start = time.monotonic()
        try:
            said, self.err = recorder.communicate(timeout=20 * harness.SLOWER)  # the agent holds the pipe until it ends
        except subprocess.TimeoutExpired:
            said, self.err = b"never ended", b""
        self.seconds = time.monotonic() - start
        self.said = said.decode(errors="replace").replace("begins", "").strip()
        self.early = delay < 0  # perhaps before there was an agent


def lines_of(where, name):
    try:
        with open(os.path.join(where, name), "rb") as f:
            *complete, torn = f.read().split(b"\n")
    except OSError:
        return [], b""
    return complete, torn


def unreadable(where):
    """The complete lines that are no JSON, of any file of the run."""
    bad, count = [], 0
    for name in sorted(os.listdir(where)) if os.path.isdir(where) else []:
        if not name.endswith(".jsonl"):
            continue
        for number, line in enumerate(lines_of(where, name)[0], 1):
            count += 1
            try:
                json.loads(line)
            except ValueError:
                bad.append(f"{name}:{number} is {line[:60]!r}")
    return bad, count


def run(suite, count=TIMES):
    with suite.upstream(answer) as upstream:
        # every fifth time from the very beginning, else from when the agent talks
        times = [suite.random.random() * LONGEST * (-0.4 if n % 5 == 0 else 1) for n in range(count)]
        runs = each(lambda n: Killed(suite, upstream.url, times[n], n % 4 == 0), range(count), 2)
    bad = [(r.where, f"said {r.said!r}: {r.err[-200:]}") for r in runs if not r.said.startswith("broke ") and (r.said or not r.early)]
    suite.check("the agent's connection broke with an error", bad, count)
    limit = 5 * harness.SLOWER
    suite.check("and it ended within five seconds", [(r.where, f"{r.seconds:.1f} s") for r in runs if r.seconds > limit], count)
    found = [(r, *unreadable(r.where)) for r in runs]
    suite.check("every complete line is readable", [(r.where, b) for r, bad, _ in found for b in bad], sum(n for *_, n in found))
    suite.one("there were lines to read", sum(n for *_, n in found) > count, f"{sum(n for *_, n in found)} lines")
    shown(suite, runs)


def shown(suite, runs):
    bad = []
    for r in runs:
        if not lines_of(r.where, "agent-trace.jsonl")[0]:
            continue  # killed before the first node
        status, text = suite.show(r.where)
        if status != 0 or "interrupted" not in text:
            bad.append((r.where, f"exit {status}: {text[:200]!r}"))
    suite.check("show says that the run was interrupted", bad, len(runs))
