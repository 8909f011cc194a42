"""The collector that the user had: it gets the same bytes with the same headers, and never makes the child wait."""

import os
import sys
import time

from certificates import Service
from exporting import free_port
from harness import SLOWER
from payloads import JSON, PACKED, PROTO, as_json, as_proto, model_span, post
from wire import Hangup, Upstream

TRACE = "0af7651916cd43dd8448eb211c80319c"
OK = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}"


def busy(status, wait="0"):
    return f"HTTP/1.1 {status} No\r\nRetry-After: {wait}\r\nContent-Length: 0\r\n\r\n".encode()


def unchanged(suite):
    spans = [model_span(TRACE, 1, "r1")]
    body, proto = as_json(spans), as_proto(spans)
    with Upstream(lambda request: OK) as collector, Upstream(lambda request: OK) as other:
        variables = {"OTEL_EXPORTER_OTLP_ENDPOINT": collector.url + "/base/", "OTEL_EXPORTER_OTLP_HEADERS": "x-key=of%20the%20user,x-too=1",
                     "OTEL_EXPORTER_OTLP_LOGS_ENDPOINT": other.url + "/as/it/is", "OTEL_EXPORTER_OTLP_LOGS_HEADERS": "x-logs=2"}
        with suite.hold(options=["--otlp"], more=variables) as held:
            url = held.urls["bare"]
            sent = [
                ("/v1/traces", body, {"media": JSON, "headers": {"X-Key": "of the client", "User-Agent": "sdk"}}),
                ("/v1/traces", PACKED["gzip"](proto), {"media": PROTO, "headers": {"Content-Encoding": "gzip"}}),
                ("/v1/metrics", b"\x0a\x00", {"media": PROTO}),
                ("/v1/traces", iter([body[:50], body[50:]]), {"chunked": True}),
                ("/v1/traces", b"not what it says", {"media": PROTO}),  # our 400 is not the collector's
                ("/v1/logs", b"{}", {}),
            ]
            for path, data, how in sent:
                post(url, path, data, **how)
            wait_until(lambda: len(collector.seen) >= 5 and len(other.seen) >= 1)
            done = held.finish()
    wants = [("/base/v1/traces", body), ("/base/v1/traces", PACKED["gzip"](proto)), ("/base/v1/metrics", b"\x0a\x00"),
             ("/base/v1/traces", body), ("/base/v1/traces", b"not what it says")]
    got = [(r.target, r.body) for r in collector.seen]
    # gzip has the time in its head
    same = sorted(map(strip, got)) == sorted(map(strip, wants))
    suite.one("bytes are passed on as they came, to the base and its path", same, [(t, len(b)) for t, b in got])
    first = next(r for r in collector.seen if r.header("user-agent") == "sdk")
    names = [k.lower() for k, _ in first.headers]
    suite.one("the client's headers and the user's, each once", first.header("x-key") == "of the client" and first.header("x-too") == "1"
              and len(names) == len(set(names)) and first.header("host") == f"127.0.0.1:{collector.port}", first.headers)
    packed = [r for r in collector.seen if r.header("content-encoding") == "gzip"]
    suite.one("packed bodies stay packed", len(packed) == 1 and packed[0].header("x-key") == "of the user", len(packed))
    logs = other.seen[0] if other.seen else None
    suite.one("the address of a signal is used as it is", logs and logs.target == "/as/it/is" and logs.header("x-logs") == "2"
              and logs.header("x-too") == "1", logs and (logs.target, logs.headers))
    suite.one("and nothing is said of it", "passed on" not in done.err, done.err)


def strip(pair):
    target, body = pair
    return target, body[10:] if body[:2] == b"\x1f\x8b" else body


def wait_until(condition, seconds=20):
    end = time.monotonic() + seconds
    while not condition() and time.monotonic() < end:
        time.sleep(0.01)


def slow(suite):
    """A collector that answers late, never, or not at all; one that is not there; one that wants to be left alone."""

    def late(request):
        time.sleep(1)
        return OK

    def never(request):
        time.sleep(30)
        raise Hangup

    def left_alone(request):
        return busy(429, "3600")

    for name, answer, lost in (("late", late, 0), ("silent", never, 5), ("gone", None, 5), ("busy", left_alone, 5)):
        collector = Upstream(answer or (lambda request: OK))
        port = collector.port if answer else free_port()
        more = {"OTEL_EXPORTER_OTLP_ENDPOINT": f"http://127.0.0.1:{port}"}
        with collector, suite.hold(options=["--otlp"], more=more) as held:
            took = [post(held.urls["bare"], "/v1/traces", b"{}").seconds for _ in range(5)]
            start = time.monotonic()
            done = held.finish()
            end = time.monotonic() - start
        suite.one(f"a collector that is {name} does not make the child wait", max(took) < 0.5 * SLOWER, took)
        suite.one(f"nor the end of the run for long, where it is {name}", end < 4.5 * SLOWER, end)
        said = f"{lost} of 5 telemetry requests could not be passed on to 127.0.0.1:{port}: "
        suite.one(f"what is lost is told, where it is {name}", (said in done.err.replace("\n  ", " ")) == (lost > 0), done.err)
        suite.note(f"{name}: answers within {max(took) * 1000:.1f} ms, the end took {end:.2f} s")


def again(suite):
    """503 twice, then it takes it; 400 is final."""
    count = []

    def answer(request):
        count.append(request.target)
        return busy(503) if len(count) < 3 else OK

    with Upstream(answer) as collector, suite.hold(options=["--otlp"], more={"OTEL_EXPORTER_OTLP_ENDPOINT": collector.url}) as held:
        post(held.urls["bare"], "/v1/traces", b"{}")
        wait_until(lambda: len(count) >= 3)
        done = held.finish()
    suite.one("a collector that is busy gets it again", len(count) == 3 and "passed on" not in done.err, (len(count), done.err))
    with Upstream(lambda request: busy(400)) as collector:
        with suite.hold(options=["--otlp"], more={"OTEL_EXPORTER_OTLP_ENDPOINT": collector.url}) as held:
            post(held.urls["bare"], "/v1/traces", b"{}")
            wait_until(lambda: len(collector.seen) >= 1)
            done = held.finish()
    suite.one("one that refuses it does not", len(collector.seen) == 1 and "400 Bad Request" in done.err, (len(collector.seen), done.err))


def nobody(suite):
    """Without an address nothing is passed on, whatever else is set; and gRPC cannot be."""
    with Upstream(lambda request: OK) as collector:
        with suite.hold(options=["--otlp"], more={"OTEL_EXPORTER_OTLP_HEADERS": "a=b"}) as held:
            post(held.urls["bare"], "/v1/traces", b"{}")
            done = held.finish()
        suite.one("without an address nothing is passed on", "collector" not in done.err, done.err)
        more = {"OTEL_EXPORTER_OTLP_ENDPOINT": collector.url, "OTEL_EXPORTER_OTLP_PROTOCOL": "grpc"}
        with suite.hold(options=["--otlp"], more=more) as held:
            post(held.urls["bare"], "/v1/traces", b"{}")
            done = held.finish()
        suite.one("gRPC is not passed on, and told once", not collector.seen and done.err.count("not to your collector") == 1, done.err)


def no_circles(suite):
    """Where the recorder is also the child's proxy, telemetry for it comes through itself, and is passed on once."""
    with Upstream(lambda request: OK) as collector:
        more = {"OTEL_EXPORTER_OTLP_ENDPOINT": collector.url, "HTTP_PROXY": "http://127.0.0.1:9"}
        with suite.hold(options=["--intercept"], more={**ADDRESSES, **more}) as held:
            url = held.urls["bare"]
            status = [post(url, f"{url}/v1/traces", b"{}").status, post(url, "/v1/traces", b"{}").status]
            wait_until(lambda: len(collector.seen) >= 2)
            time.sleep(0.2)
            done = held.finish()
        suite.one("with --intercept telemetry is taken and passed on once", status == [200, 200] and len(collector.seen) == 2
                  and "in 2 requests" in done.err, (status, len(collector.seen), done.err))
    # a recorder within a recorder: the inner one passes on to the outer one
    with Upstream(lambda request: OK) as collector:
        inner = os.path.join(suite.directory("inner"), "out")
        command = [suite.program, "record", "-q", "-o", inner, "--otlp", "--", sys.executable, "-c", SEND]
        done = suite.record(command, options=["--otlp"], more={"OTEL_EXPORTER_OTLP_ENDPOINT": collector.url})
        suite.one("a recorder within a recorder passes on to it, and that one to the collector", len(collector.seen) == 1
                  and "in 1 request" in done.err, (len(collector.seen), done.err))


def secure(suite):
    """A collector that speaks TLS; its authority is that of SSL_CERT_FILE, and without it nothing is sent."""
    service = Service(suite.directory("certificates"))
    for trust, count in ((service.trust, 1), ({}, 0)):
        with Upstream(lambda request: OK, service.context()) as collector:
            more = {**trust, "OTEL_EXPORTER_OTLP_ENDPOINT": collector.url, "OTEL_EXPORTER_OTLP_HEADERS": "authorization=Bearer%20hidden-key"}
            with suite.hold(options=["--otlp"], more=more) as held:
                post(held.urls["bare"], "/v1/traces", b"{}")
                wait_until(lambda: len(collector.seen) >= 1, 2)
                done = held.finish()
        said = "1 of 1 telemetry requests" in done.err and "hidden-key" not in done.err
        suite.one(f"a collector over https, {'trusted' if count else 'not trusted'}", len(collector.seen) == count and said == (not count),
                  (len(collector.seen), done.err))


ADDRESSES = {name: "http://127.0.0.1:9" for name in ("OPENAI_BASE_URL", "ANTHROPIC_BASE_URL", "OLLAMA_HOST", "GOOGLE_GEMINI_BASE_URL")}
SEND = """
import os, urllib.request
r = urllib.request.Request(os.environ["OTEL_EXPORTER_OTLP_ENDPOINT"] + "/v1/traces", b"{}", {"Content-Type": "application/json"})
urllib.request.build_opener(urllib.request.ProxyHandler({})).open(r).read()
"""


def run(suite):
    unchanged(suite)
    no_circles(suite)
    secure(suite)
    slow(suite)
    again(suite)
    nobody(suite)
