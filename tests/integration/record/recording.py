"""What every set needs: the recorder around a child, the mock, and the trace that came of it."""

import json
import os
import queue
import random
import signal
import subprocess
import sys
import threading
import time
from collections import Counter

import harness
from wire import Upstream

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(HERE)))
PROVIDERS = ("openai", "anthropic", "ollama", "gemini")

# What a client would follow instead of what the test wants.
FOREIGN = (
    "OPENAI_", "ANTHROPIC_", "OLLAMA_", "GOOGLE_", "GEMINI_", "OTEL_", "LANGSMITH_", "TRACEPARENT", "CO_", "COHERE_", "GROQ_",
    "MISTRAL_", "XAI_", "DEEPSEEK_", "OPENROUTER_", "TOGETHER_", "FIREWORKS_",
)
PROXIES = ("http_proxy", "https_proxy", "all_proxy", "no_proxy")

# A child that tells where the recorder listens, and waits for its input to end.
WAITING = 'printf "%s\\n" "${TRACKWAY_PROXY:-$OTEL_EXPORTER_OTLP_ENDPOINT}" "$OPENAI_BASE_URL" "$ANTHROPIC_BASE_URL" "$OLLAMA_HOST" ' \
          '"$GOOGLE_GEMINI_BASE_URL"; read -r code; exit "${code:-0}"'

RAW_HOSTS = [w for name in ("a", "a.example", "recorder.example") for w in ("--allow-host", name)]  # of requests written by hand


class Recording(harness.Suite):
    def __init__(self, program, shared):
        super().__init__(program, shared)
        self.environment = {
            k: v for k, v in self.environment.items() if not k.startswith(FOREIGN) and k.lower() not in PROXIES
        }
        self.environment.update(TRACKWAY_HOME=os.path.join(self.place, "home"), PYTHONDONTWRITEBYTECODE="1")
        self.seed = int(os.environ.get("SEED", "1"))  # the same each time: whether a change passes must not depend on luck
        self.random = random.Random(self.seed)
        self.lock = threading.Lock()
        self.secure = None  # a certificates.Service, while the scenes of other sets run with upstreams that speak TLS

    def directory(self, name):
        with self.lock:
            return super().directory(name)

    def upstream(self, answer):
        """A service for a scene that is run plain and with TLS."""
        return Upstream(answer, self.secure.context() if self.secure else None)

    def check(self, title, bad, total):
        super().check(f"over TLS: {title}" if self.secure else title, bad, total)

    def one(self, title, condition, why):
        """A check of one case."""
        self.check(title, [] if condition else [("it", why)], 1)
        return condition

    def variables(self, more=None):
        return {**self.environment, **(self.secure.trust if self.secure else {}), **(more or {})}

    def arguments(self, where, upstream, options=()):
        """upstream: an address for all services, or a dict of them."""
        given = upstream if isinstance(upstream, dict) else {p: upstream for p in PROVIDERS} if upstream else {}
        ups = [w for name, url in given.items() for w in ("--upstream", f"{name}={url}")]
        return [self.program, "record", "-o", where, *ups, *RAW_HOSTS, *options, "--"]

    def record(self, command, upstream=None, options=(), more=None, timeout=60, stdin=None, where=None, prefix=()):
        """Records a command until it ends."""
        where = where or os.path.join(self.directory("run"), "out")
        start = time.monotonic()
        try:
            done = subprocess.run(
                [*prefix, *self.arguments(where, upstream, options), *command],
                cwd=self.place,
                env=self.variables(more),
                input=stdin,
                stdin=subprocess.DEVNULL if stdin is None else None,
                capture_output=True,
                timeout=timeout * harness.SLOWER,
                check=False,
            )
        except subprocess.TimeoutExpired as e:
            return Recorded(where, None, e.stdout or b"", e.stderr or b"", time.monotonic() - start)
        return Recorded(where, done.returncode, done.stdout, done.stderr, time.monotonic() - start)

    def hold(self, upstream=None, options=(), **others):
        """A recorder whose child does nothing: the test itself talks to it."""
        return Held(self, upstream, options, **others)

    def mock(self, script=None, more=()):
        return Mock(self, script, more)

    def show(self, where):
        """What `show` says of a run: (status, text)."""
        status, out, err, _ = self.run(["show", where])
        return status, (out + err).decode(errors="replace")

    def strict(self, where):
        """What the validator finds in a trace, as texts."""
        path = os.path.join(where, "agent-trace.jsonl")
        entry = self.validate([path], ["--strict"])[path]
        return [f"{f['code']} line {f['line']}: {f['message']}" for f in entry["findings"] if f["severity"] != "info"]


class Recorded:
    """What is left when a recorder ended. status None: it did not end in time."""

    def __init__(self, where, status, out, err, seconds):
        self.where, self.status, self.out, self.seconds = where, status, out, seconds
        self.err = err.decode(errors="replace")

    def trace(self):
        return Trace(self.where)

    def files(self):
        """name -> bytes of everything in the run directory."""
        found = {}
        for path in harness.files_under(self.where):
            with open(path, "rb") as f:
                found[os.path.relpath(path, self.where)] = f.read()
        return found


class Held:
    def __init__(self, suite, upstream, options, more=None, where=None, prefix=(), words=()):
        self.suite = suite
        self.where = where or os.path.join(suite.directory("run"), "out")
        self.start = time.monotonic()
        self.process = subprocess.Popen(
            [*prefix, *suite.arguments(self.where, upstream, options), "sh", "-c", WAITING, *words],
            cwd=suite.place,
            env=suite.variables(more),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        names = ("bare", "openai", "anthropic", "ollama", "gemini")
        told = [self.process.stdout.readline().decode().strip() for _ in names]
        self.urls = dict(zip(names, told))
        if not all(told):
            self.process.kill()
            _, err = self.process.communicate()
            raise harness.Broken(f"the child was not told where to go: {told}; {err[-300:].decode(errors='replace')}")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
        self.process.communicate()

    def finish(self, code=0, timeout=30):
        """Lets the child end with this exit status."""
        try:
            out, err = self.process.communicate(f"{code}\n".encode(), timeout * harness.SLOWER)
        except subprocess.TimeoutExpired:
            self.process.kill()
            out, err = self.process.communicate()
            return Recorded(self.where, None, out, err, time.monotonic() - self.start)
        if b"Sanitizer" in err:
            raise harness.Broken(f"a sanitizer complains: {err[-2000:].decode(errors='replace')}")
        return Recorded(self.where, self.process.returncode, out, err, time.monotonic() - self.start)

    def alive(self):
        return self.process.poll() is None


class Mock:
    def __init__(self, suite, script, more):
        arguments = [suite.program, "mock", "--listen", "127.0.0.1:0", *(["--script", script] if script else []), *more]
        self.log = os.path.join(suite.directory("mock"), "stderr")
        with open(self.log, "wb") as err:
            self.process = subprocess.Popen(
                arguments, cwd=suite.place, env=suite.variables(), stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE, stderr=err,
            )
        self.url = self.process.stdout.readline().decode().strip()
        threading.Thread(target=self.process.stdout.read, daemon=True).start()
        if not self.url.startswith("http://"):
            self.process.kill()
            with open(self.log, encoding="utf-8", errors="replace") as f:
                raise harness.Broken(f"the mock said {self.url!r} and not its address: {f.read()[-300:]}")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(5)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


class Trace:
    """The nodes of a run in the order of their beginning, and its summary (None when there is none)."""

    def __init__(self, where):
        self.path = os.path.join(where, "agent-trace.jsonl")
        try:
            with open(self.path, "rb") as f:
                self.lines = f.read().split(b"\n")
        except OSError as e:
            raise harness.Broken(f"no trace: {e}") from e
        events = [json.loads(line) for line in self.lines[:-1]]
        self.nodes = sorted((e for e in events if e["event_type"] == "node"), key=lambda n: n["timestamp_start"])
        self.summary = next((e for e in events if e["event_type"] == "summary"), None)
        self.by_id = {n["node_id"]: n for n in self.nodes}

    def of(self, kind):
        return [n for n in self.nodes if n["kind"] == kind]

    def models(self, model=None):
        return [n for n in self.of("model_call") if model is None or n["model_call"]["model"] == model]

    def kinds(self):
        return Counter(n["kind"] for n in self.nodes)

    def parents(self, node, *kinds):
        """Its parents, those of these kinds when any are given; one that is not in the trace is None."""
        found = [self.by_id.get(p) for p in node["parent_node_ids"]]
        return [p for p in found if not kinds or p is None or p["kind"] in kinds]

    def children(self, node, *kinds):
        return [n for n in self.nodes if node["node_id"] in n["parent_node_ids"] and (not kinds or n["kind"] in kinds)]


def each(function, items, workers=8):
    """Results in the order of the items, made by threads. What one of them raises is raised."""
    results, raised, work = [None] * len(items), [], queue.SimpleQueue()
    for numbered in enumerate(items):
        work.put(numbered)

    def loop():
        while True:
            try:
                i, item = work.get_nowait()
            except queue.Empty:
                return
            try:
                results[i] = function(item)
            except Exception as e:  # whatever it is, it is the caller's
                raised.append(e)
                return

    threads = [threading.Thread(target=loop) for _ in range(min(workers, len(items)))]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    if raised:
        raise raised[0]
    return results


def python(script, *words):
    return [sys.executable, "-B", os.path.join(HERE, script), *words]
