"""Runs a program whose spans go to an OpenTelemetry Collector, which sends them on to where the environment says. usage:
through_collector.py COLLECTOR COMPRESSION COMMAND..."""

import os
import signal
import socket
import subprocess
import sys
import tempfile
import time

CONFIG = """
receivers:
  otlp:
    protocols:
      http:
        endpoint: 127.0.0.1:{port}
exporters:
  otlphttp:
    endpoint: {endpoint}
    compression: {compression}
service:
  telemetry:
    metrics:
      level: none
    logs:
      level: warn
  pipelines:
    traces: {{receivers: [otlp], exporters: [otlphttp]}}
"""


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def wait_for(port, child):
    for _ in range(600):
        with socket.socket() as s:
            if s.connect_ex(("127.0.0.1", port)) == 0:
                return
        if child.poll() is not None:
            break
        time.sleep(0.1)
    sys.exit("the collector does not start")


collector, compression, *command = sys.argv[1:]
port = free_port()
with tempfile.NamedTemporaryFile("w", suffix=".yaml") as config:
    endpoint = os.environ["OTEL_EXPORTER_OTLP_ENDPOINT"]
    config.write(CONFIG.format(port=port, endpoint=endpoint, compression=compression))
    config.flush()
    child = subprocess.Popen([collector, "--config", config.name], stdin=subprocess.DEVNULL)
    try:
        wait_for(port, child)
        told = {**os.environ, "OTEL_EXPORTER_OTLP_ENDPOINT": f"http://127.0.0.1:{port}"}
        status = subprocess.run(command, env=told, check=False).returncode
    finally:
        child.send_signal(signal.SIGTERM)  # it sends what it still has
        child.wait()
sys.exit(status)
