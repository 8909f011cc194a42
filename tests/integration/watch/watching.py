"""What every set needs: lines of traces, a running watch, and its page read."""

import http.client
import json
import os
import random
import re
import subprocess
import time
import uuid

import harness

SAMPLE = re.compile(r'^([a-z_]+)(?:\{([a-z]+)="([^"]*)"\})? (\S+)$')
WINDOW = 300


def node(trace, age=0.0, kind="model_call", took=0.5, **detail):
    """A node that ended `age` seconds ago, as a line."""
    end = time.time() - age
    value = {
        "schema_version": "agent-trace/v1", "event_type": "node", "trace_id": trace, "node_id": str(uuid.uuid4()),
        "parent_node_ids": [], "timestamp_start": end - took, "timestamp_end": end, "framework": "unknown", "kind": kind,
    }
    if kind in ("model_call", "tool_call"):
        value[kind] = detail
    return json.dumps(value).encode() + b"\n"


class Watching(harness.Suite):
    def __init__(self, program, shared):
        super().__init__(program, shared)
        self.seed = int(os.environ.get("SEED", "1"))
        self.random = random.Random(self.seed)

    def watch(self, where, *options):
        return Watch(self, where, options)

    def one(self, title, condition, why):
        self.check(title, [] if condition else [("it", why)], 1)
        return condition


class Watch:
    """A watch that serves. Leaving the block ends it."""

    def __init__(self, suite, where, options):
        self.suite, self.where = suite, where
        self.child = subprocess.Popen(
            [suite.program, "watch", where, "-q", "--listen", "127.0.0.1:0", *options], env=suite.environment,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )
        url = self.child.stdout.readline().strip()
        if not url.startswith("http://127.0.0.1:"):
            raise harness.Broken(f"watch said {url!r}: {self.child.stderr.read()[-300:]}")
        self.port = int(url.rsplit(":", 1)[1])

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.child.kill()
        self.child.communicate()

    def ask(self, method="GET", path="/metrics", headers=None):
        """(status, headers, body)"""
        c = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60 * harness.SLOWER)
        try:
            c.request(method, path, headers=headers or {})
            answer = c.getresponse()
            return answer.status, answer.headers, answer.read().decode()
        finally:
            c.close()

    def page(self):
        """The metrics, once the files have been read for the first time."""
        while True:
            status, _, body = self.ask()
            if status == 200:
                return body
            if status != 503:
                raise harness.Broken(f"/metrics gave {status}")
            time.sleep(0.01)

    def figures(self):
        return read(self.page())

    def until(self, condition, seconds=30):
        """The figures as soon as they fulfil the condition, or the last ones."""
        end = time.monotonic() + seconds * harness.SLOWER
        while True:
            figures = self.figures()
            if condition(figures) or time.monotonic() > end:
                return figures
            time.sleep(0.05)


def read(page):
    """(name, label) -> value; name alone where there is no label."""
    figures = {}
    for line in page.splitlines():
        if line.startswith("#"):
            continue
        m = SAMPLE.match(line)
        if not m:
            raise harness.Broken(f"this is no sample: {line!r}")
        figures[(m[1], m[3]) if m[2] else m[1]] = float(m[4])
    return figures


def append(path, data):
    with open(path, "ab") as f:
        f.write(data)
