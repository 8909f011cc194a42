"""The same spans to the recorder and to the Collector in turn: otlp_turns.py TRACKWAY DIRECTORY. For bench/otlp."""
import gzip
import http.client
import json
import os
import random
import socket
import statistics
import subprocess
import sys
import tempfile
import time

sys.path.insert(1, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "tests", "integration", "receiver"))

from payloads import BEGUN, JSON, PROTO, as_json, as_proto, model_span, span

AIM = 3.0
SETTLE = 1.5  # seconds: the collector writes its file once a second
ROUNDS, REQUESTS, SPANS = (int(os.environ[n]) for n in ("ROUNDS", "REQUESTS", "SPANS"))
COLLECTOR = os.environ["COLLECTOR"]
CONFIG = """
receivers: {{otlp: {{protocols: {{http: {{endpoint: '127.0.0.1:{port}'}}}}}}}}
exporters: {{file: {{path: {path}}}}}
service:
  telemetry: {{metrics: {{level: none}}, logs: {{level: warn}}}}
  pipelines: {{traces: {{receivers: [otlp], exporters: [file]}}}}
"""
AGENT = {"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": "a"}
HTTP = {"http.request.method": "POST", "server.address": "api.example", "server.port": 443,
        "http.response.status_code": 200, "url.full": "https://api.example/v1/x"}
TOOL = {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "look"}
HOLD = 'echo "$OTEL_EXPORTER_OTLP_ENDPOINT"; read -r _'


def make_spans(chance, number):
    """Runs of an agent: for each model call with its messages (a kilobyte) a tool call, and a request of HTTP."""
    trace, spans = f"{chance.getrandbits(128):032x}", []
    begun = BEGUN + number * SPANS * 3 * 10**9
    while len(spans) < SPANS:
        n = number * SPANS + len(spans) + 1
        begun += 3 * 10**9
        kind = len(spans) % 4
        words = " ".join(chance.choice(("alpha", "beta", "gamma", "delta")) for _ in range(170))
        if kind == 0:
            s = span(trace, n, "invoke_agent a", AGENT, begun=begun)
        elif kind == 1:
            s = model_span(trace, n, f"chatcmpl-{n}", "gpt-4o", begun=begun, parent=n - 1)
            said = [{"role": "user", "parts": [{"type": "text", "content": words}]}]
            s["attributes"]["gen_ai.input.messages"] = json.dumps(said)
        elif kind == 2:
            s = span(trace, n, "POST", HTTP, begun=begun, parent=n - 1)
        else:
            s = span(trace, n, "execute_tool look", {**TOOL, "gen_ai.tool.call.id": f"call_{n}",
                                                     "gen_ai.tool.call.arguments": words}, begun=begun, parent=n - 3)
        spans.append(s)
    return spans


def payloads(form):
    chance = random.Random(7)
    lists = [make_spans(chance, i) for i in range(REQUESTS)]
    if form == "json":
        return [as_json(s) for s in lists], {"Content-Type": JSON}
    bodies = [as_proto(s) for s in lists]
    if form == "gzip":
        return [gzip.compress(b) for b in bodies], {"Content-Type": PROTO, "Content-Encoding": "gzip"}
    return bodies, {"Content-Type": PROTO}


def cpu(pid):
    fields = open(f"/proc/{pid}/stat", encoding="ascii").read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def send(port, bodies, headers):
    conn = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    for body in bodies:
        conn.request("POST", "/v1/traces", body, headers)
        got = conn.getresponse()
        got.read()
        if got.status != 200:
            sys.exit(f"{got.status} from port {port}")
    conn.close()


def memory_of(pid):
    """The most it ever had, in MiB."""
    with open(f"/proc/{pid}/status", encoding="ascii") as f:
        return next(int(line.split()[1]) / 1024 for line in f if line.startswith("VmHWM"))


def end(process, before, stop):
    """CPU seconds from `before` until all was taken and written; with what it does at its end; and its memory."""
    time.sleep(SETTLE)
    taken, memory = cpu(process.pid) - before, memory_of(process.pid)
    stop()
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = status
    return taken, used.ru_utime + used.ru_stime - before, memory


def recorder_turn(trackway, place, bodies, headers):
    run = os.path.join(place, "run")
    child = subprocess.Popen([trackway, "record", "-q", "--otlp", "-o", run, "--", "sh", "-c", HOLD],
                             stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                             env={**os.environ, "TRACKWAY_HOME": place})
    port = int(child.stdout.readline().decode().rsplit(":", 1)[1])
    before = cpu(child.pid)
    send(port, bodies, headers)
    figures = end(child, before, child.stdin.close)
    with open(os.path.join(run, "agent-trace.jsonl"), "rb") as f:
        nodes = sum(b'"kind":"model_call"' in line for line in f)
    subprocess.run(["rm", "-rf", run], check=True)
    return figures, nodes == REQUESTS * SPANS // 4


def collector_turn(place, bodies, headers):
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        port = s.getsockname()[1]
    path, config = os.path.join(place, "got.json"), os.path.join(place, "config.yaml")
    with open(config, "w", encoding="utf-8") as f:
        f.write(CONFIG.format(port=port, path=path))
    child = subprocess.Popen([COLLECTOR, "--config", config], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                             stderr=subprocess.DEVNULL)
    while True:
        with socket.socket() as s:
            if s.connect_ex(("127.0.0.1", port)) == 0:
                break
        time.sleep(0.05)
    time.sleep(0.3)
    before = cpu(child.pid)
    send(port, bodies, headers)
    figures = end(child, before, child.terminate)
    with open(path, "rb") as f:
        spans = sum(line.count(b'"spanId"') for line in f)
    os.unlink(path)
    return figures, spans == REQUESTS * SPANS


def middle(turns, i):
    return statistics.median([t[i] for t in turns])


def main(trackway, directory):
    count, rows, good = REQUESTS * SPANS, {}, True
    for form in os.environ["FORMS"].split():
        bodies, headers = payloads(form)
        rows[form] = {"trackway": [], "collector": []}
        for _ in range(ROUNDS):
            with tempfile.TemporaryDirectory() as place:
                figures, whole = recorder_turn(trackway, place, bodies, headers)
                rows[form]["trackway"].append(figures)
                good &= whole
                if COLLECTOR:
                    figures, whole = collector_turn(place, bodies, headers)
                    rows[form]["collector"].append(figures)
                    good &= whole
    print(f"{count:,} spans in {REQUESTS} requests a turn, {ROUNDS} rounds; medians\n")
    print(f"{'':10}{'spans/CPU s, taken':>26}{'with the end':>26}{'most memory, MiB':>26}")
    print(f"{'':10}" + 3 * f"{'trackway':>13}{'collector':>13}" + f"{'ratio':>8}  aim {AIM:.0f} x")
    for form, both in rows.items():
        ours, theirs = both["trackway"], both["collector"]
        cells = [count / middle(turns, i) if turns else None for i in (0, 1) for turns in (ours, theirs)]
        cells += [middle(turns, 2) if turns else None for turns in (ours, theirs)]
        ratio = statistics.median([b[0] / a[0] for a, b in zip(ours, theirs)]) if theirs else None
        verdict = "not measured" if ratio is None else "met" if ratio >= AIM else "missed"
        shown = "".join(f"{'-' if v is None else f'{v:,.0f}':>13}" for v in cells)
        print(f"{form:10}{shown}{'-' if ratio is None else f'{ratio:.1f}':>8}  {verdict}")
    os.makedirs(directory, exist_ok=True)
    with open(os.path.join(directory, "otlp.json"), "w", encoding="utf-8") as f:
        json.dump({"spans": count, "rounds": rows}, f)
    print("every model call is in the traces, every span in the files" if good else "SPANS ARE MISSING")
    sys.exit(0 if good else 1)


main(*sys.argv[1:])
