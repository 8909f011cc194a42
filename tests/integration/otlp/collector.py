"""The OpenTelemetry Collector: what it writes down must be what we wrote, in both encodings, packed and not."""

import os
import resource
import shutil
import subprocess
import time

from exporting import differences, documents, free_port, make_run, points, spans, wait_for_port
from harness import SLOWER, Broken, packages

HERE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "collector")
CONFIG = """
receivers:
  otlp:
    protocols:
      http:
        endpoint: 127.0.0.1:{port}
exporters:
  file:
    path: {path}
service:
  telemetry:
    metrics:
      level: none
    logs:
      level: warn
  pipelines:
    traces: {{receivers: [otlp], exporters: [file]}}
    metrics: {{receivers: [otlp], exporters: [file]}}
"""


def build(suite):
    """The path of the program, kept where packages are; None after having said why not."""
    if not shutil.which("go"):
        suite.skip("the collector", "go is not installed")
        return None
    wanted = "".join(open(os.path.join(HERE, f), encoding="utf-8").read() for f in ("go.mod", "go.sum", "main.go"))

    def commands(where):
        go = ["env", "GOFLAGS=-mod=readonly", "GOTOOLCHAIN=local", "CGO_ENABLED=0", "nice", "go"]
        return [[*go, "build", "-C", HERE, "-o", os.path.join(where, "collector"), "."]]

    os.environ.setdefault("TRACKWAY_PACKAGES_SECONDS", "1200")
    where = packages(suite, "otlp-collector", wanted, commands)
    return where and os.path.join(where, "collector")


class Collector:
    """One that writes all it gets to a file."""

    def __init__(self, suite, program):
        self.suite = suite
        place = suite.directory("collector")
        self.port, self.path, self.log = free_port(), os.path.join(place, "got.json"), os.path.join(place, "log")
        config = suite.write(place, "config.yaml", CONFIG.format(port=self.port, path=self.path))
        self.url = f"http://127.0.0.1:{self.port}"
        self.child = suite.start([program, "--config", config], self.log)
        if not wait_for_port(self.port, self.child, 60):
            raise Broken(f"the collector does not start: {open(self.log, encoding='utf-8').read()[-400:]}")

    def end(self):
        """Stops it, so that all is written; gives the documents."""
        self.suite.stop(self.child)
        return documents(self.path) if os.path.exists(self.path) else []


WAYS = [
    ("protobuf", "otlp-proto", {}),
    ("protobuf in gzip", "otlp-proto", {"OTEL_EXPORTER_OTLP_COMPRESSION": "gzip"}),
    ("JSON", "otlp-json", {}),
    ("JSON in gzip", "otlp-json", {"OTEL_EXPORTER_OTLP_COMPRESSION": "gzip"}),
]


def one_way(suite, program, name, form, env, run_file, ours):
    c = Collector(suite, program)
    status, text = suite.export("--otlp", "--signal", "both", "--format", form, "--endpoint", c.url, run=run_file, env=env)
    got = c.end()
    bad = [("export", f"exit {status}: {text}")] if status else []
    suite.check(f"{name}: every span comes as it was written", bad + differences(spans(ours), spans(got)), len(spans(ours)))
    suite.check(f"{name}: there are metrics", [] if points(got) else [("metrics", "none came")], len(points(got)))
    one_way.points.setdefault("all", points(got))
    suite.check(f"{name}: metrics do not depend on the encoding", differences(one_way.points["all"], points(got)), len(points(got)))


one_way.points = {}


def run(suite):
    program = suite.can_send() and build(suite)
    if not program:
        return
    path = os.path.join(suite.place, "collector.json")
    status, text = suite.export("--format", "otlp-json", "-o", path)
    suite.check("a file is written", [(status, text)] if status else [], 1)
    ours = documents(path)
    for name, form, env in WAYS:
        one_way(suite, program, name, form, env, suite.run_file, ours)
    large(suite, program)
    refused(suite, program)


def large(suite, program):
    """More than one request holds: the batches together are the run."""
    rounds = 12000
    run_file = suite.write(suite.place, "large.jsonl", make_run(rounds))
    c = Collector(suite, program)
    status, text = suite.export("--otlp", "--signal", "traces", "--endpoint", c.url, run=run_file)
    got = c.end()
    found = spans(got)
    bad = [("export", f"exit {status}: {text}")] if status else []
    if len(found) != 2 * rounds + 2:
        bad.append(("spans", f"{len(found)} of {2 * rounds + 2}"))
    bad += [(i, "its parent is not there") for i, s in found.items() if s["parent"] and s["parent"] not in found][:3]
    suite.check("a large run comes in several requests and is whole", bad, len(found))
    suite.note(f"{len(got)} requests")


def refused(suite, program):
    """What the collector itself says of a path that it does not have."""
    c = Collector(suite, program)
    env = {"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": c.url + "/nowhere"}
    status, text = suite.export("--otlp", "--signal", "traces", env=env)
    c.end()
    suite.check("a wrong path is an error", [] if status == 3 and "404" in text else [(status, text)], 1)


def cpu(child_pid):
    """Processor seconds of a process so far."""
    fields = open(f"/proc/{child_pid}/stat", encoding="ascii").read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def speed(suite):
    """Spans a processor second: ours from a log to a file, the collector's from OTLP to a file. Figures, no verdict."""
    program = suite.can_send() and build(suite)
    if not program:
        return
    rounds = int(50000 / SLOWER)
    count = 2 * rounds + 2
    run_file = suite.write(suite.place, "speed.jsonl", make_run(rounds))
    for form in ("otlp-json", "otlp-proto"):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([suite.program, "export", run_file, "--format", form, "-o", os.path.join(suite.place, form)],
                       env=suite.environment, check=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        suite.note(f"trackway, {form} to a file: {count / seconds:,.0f} spans a processor second ({seconds:.2f} s)")
    c = Collector(suite, program)
    start = cpu(c.child.pid)
    status, text = suite.export("--otlp", "--signal", "traces", "--format", "otlp-proto", "--endpoint", c.url, run=run_file)
    time.sleep(1)  # it writes what it has after half a second
    seconds = cpu(c.child.pid) - start
    found = spans(c.end())
    suite.note(f"collector, protobuf to a file of JSON: {count / max(seconds, 0.01):,.0f} spans a processor second ({seconds:.2f} s)")
    suite.check("both had the same spans", [] if status == 0 and len(found) == count else [(status, f"{len(found)}: {text}")], 1)
