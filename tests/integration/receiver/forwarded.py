"""A real Collector that sends what it gets to the recorder, packed as it does by itself; and one that we pass on to."""

import os

from collector import build
from exporting import documents, free_port, spans, wait_for_port
from harness import Broken
from payloads import PROTO, as_proto, model_span, post

TRACE = "0af7651916cd43dd8448eb211c80319c"
CONFIG = """
receivers:
  otlp:
    protocols:
      http:
        endpoint: 127.0.0.1:{port}
exporters:
  {exporter}
service:
  telemetry:
    metrics:
      level: none
    logs:
      level: warn
  pipelines:
    traces: {{receivers: [otlp], exporters: [{name}]}}
"""


class Running:
    def __init__(self, suite, program, name, exporter):
        import subprocess  # only here

        place = suite.directory("collector")
        self.port, self.log = free_port(), os.path.join(place, "log")
        config = suite.write(place, "config.yaml", CONFIG.format(port=self.port, name=name, exporter=exporter))
        self.url = f"http://127.0.0.1:{self.port}"
        with open(self.log, "wb") as out:
            self.child = subprocess.Popen([program, "--config", config], stdin=subprocess.DEVNULL, stdout=out, stderr=out)
        if not wait_for_port(self.port, self.child, 60):
            self.end()
            raise Broken(f"the collector does not start: {open(self.log, encoding='utf-8').read()[-400:]}")

    def end(self):
        self.child.terminate()
        self.child.wait(30)


def run(suite):
    program = build(suite)
    if not program:
        return
    count = 200
    for packing in ("none", "gzip", "zstd"):
        with suite.hold(options=["--otlp"]) as held:
            c = Running(suite, program, "otlphttp", f"otlphttp: {{endpoint: '{held.urls['bare']}', compression: {packing}}}")
            for i in range(0, count, 20):
                post(c.url, "/v1/traces", as_proto([model_span(TRACE, n + 1, f"r{n}") for n in range(i, i + 20)]), PROTO)
            c.end()  # sends what it has
            done = held.finish()
        models = done.trace().models()
        suite.one(f"a Collector sends to us ({packing}): every call is there", len(models) == count, f"{len(models)}: {done.err}")
    place = os.path.join(suite.directory("passed"), "got.json")
    c = Running(suite, program, "file", f"file: {{path: {place}}}")
    with suite.hold(options=["--otlp"], more={"OTEL_EXPORTER_OTLP_ENDPOINT": c.url}) as held:
        post(held.urls["bare"], "/v1/traces", as_proto([model_span(TRACE, n + 1, f"r{n}") for n in range(count)]), PROTO)
        done = held.finish()
    c.end()
    got = spans(documents(place))
    suite.one("a Collector that we pass on to has all of them", len(got) == count and "passed on" not in done.err, f"{len(got)}: {done.err}")
