"""Every row of the table of answers, and the variables, by the command."""

import base64
import json
import time
from concurrent.futures import ThreadPoolExecutor
from email.utils import formatdate

from exporting import documents, spans
from receiver import Receiver, answer, endless, hang, reset, slow

PROTOBUF = "application/x-protobuf"
OK = answer(200, b"", PROTOBUF)
SECRET = "open-sesame-42"


def status_protobuf(text):
    return b"\x08\x03\x12" + bytes([len(text)]) + text.encode()


def partial_protobuf(count, text):
    inner = b"\x08" + bytes([count]) + b"\x12" + bytes([len(text)]) + text.encode()
    return b"\x0a" + bytes([len(inner)]) + inner


def partial_json(count, text):
    return json.dumps({"partialSuccess": {"rejectedSpans": str(count), "errorMessage": text}}).encode()


# name, answers, exit status, requests, what the message has
CASES = [
    ("200", [OK], 0, 1, ""),
    ("200 in pieces", [slow], 0, 1, ""),
    ("200 with JSON", [answer(200, b"{}")], 0, 1, ""),
    ("200 without a type", [answer(200, b"", None)], 0, 1, ""),
    ("200 that is no OTLP", [answer(200, b"<html>", "text/html")], 0, 1, "not OTLP"),
    ("200, some rejected, protobuf", [answer(200, partial_protobuf(3, "too old"), PROTOBUF)], 1, 1, "3"),
    ("200, some rejected, says why", [answer(200, partial_protobuf(3, "too old"), PROTOBUF)], 1, 1, "too old"),
    ("200, some rejected, JSON", [answer(200, partial_json(3, "too old"))], 1, 1, "too old"),
    ("200, none rejected, a message", [answer(200, partial_json(0, "use the new port"))], 0, 1, "use the new port"),
    ("400", [answer(400, status_protobuf("bad span"), PROTOBUF)], 3, 1, "400 Bad Request: bad span"),
    ("400 with JSON", [answer(400, b'{"code":3,"message":"bad span"}')], 3, 1, "400 Bad Request: bad span"),
    ("400 without end", [endless], 3, 1, "longer than 4 MiB"),
    ("401", [answer(401)], 3, 1, "OTEL_EXPORTER_OTLP_HEADERS"),
    ("403", [answer(403)], 3, 1, "403"),
    ("404", [answer(404, b"nothing here", "text/plain")], 3, 1, "nothing here"),
    ("408", [answer(408)], 3, 1, "408"),
    ("413", [answer(413)], 3, 1, "413"),
    ("415", [answer(415)], 3, 1, "encoding"),
    ("500", [answer(500)], 3, 1, "not tried again"),
    ("501", [answer(501)], 3, 1, "501"),
    ("a redirection", [answer(307, Location="http://127.0.0.1:1/")], 3, 1, "redirections are not followed"),
    ("429, then 200", [answer(429), OK], 0, 2, "trying again in"),
    ("502, then 200", [answer(502), OK], 0, 2, "502 Bad Gateway"),
    ("503, then 200", [answer(503, b'{"message":"busy"}'), OK], 0, 2, "503 Service Unavailable: busy"),
    ("504, then 200", [answer(504), OK], 0, 2, "504 Gateway Timeout"),
    ("503, then 400", [answer(503), answer(400)], 3, 2, "400"),
    ("a reset, then 200", [reset, OK], 0, 2, "trying again in"),
    ("silence, then 200", [hang, OK], 0, 2, "no answer within 500 ms"),
    ("Retry-After beyond reason", [answer(429, Retry_After="1000")], 3, 1, "left alone for 1000 s"),
    ("503 for ever", [answer(503)], 3, 5, "given up after 5 tries"),
    ("a key that is said again", [answer(401, json.dumps({"message": f"{SECRET} is not known"}).encode())], 3, 1,
     "... is not known"),
]


def table_case(suite, headers, case):
    name, answers, want, requests, words = case
    with Receiver(*answers) as r:
        env = {"OTEL_EXPORTER_OTLP_TIMEOUT": "500"} if hang in answers else {}
        status, text = suite.export("--otlp", "--signal", "traces", "--endpoint", r.url, "--header-file", headers, env=env)
        if status != want:
            return name, f"exit {status} instead of {want}: {text[-300:]}"
        if len(r.requests) != requests:
            return name, f"{len(r.requests)} requests instead of {requests}"
        if words not in " ".join(text.split()):  # messages are wrapped for a terminal
            return name, f"'{words}' is not in: {text[-300:]}"
        if want == 3 and ("POST " not in text or r.url not in text):
            return name, f"method or host is not in: {text[-300:]}"
        if SECRET in text:
            return name, "the secret is shown"
        if any(q.headers.get("authorization") != f"Bearer {SECRET}" for q in r.requests):
            return name, "the file of headers was not sent"
        if len({q.body for q in r.requests}) != 1:
            return name, "the body changed from try to try"
        if endless in answers and not r.server.cut:
            return name, "all of an endless answer was read"
    return None


def the_table(suite):
    headers = suite.write(suite.place, "headers", f"# mine\nAuthorization: Bearer {SECRET}\n")
    with ThreadPoolExecutor(12) as pool:
        bad = [x for x in pool.map(lambda c: table_case(suite, headers, c), CASES) if x]
    suite.check("each answer has its action", bad, len(CASES))


def retry_after(suite):
    """Never sooner than was asked for; how much later is not looked at."""
    forms = {"seconds": lambda: "2", "a date": lambda: formatdate(time.time() + 3, usegmt=True)}
    bad = []
    for name, form in forms.items():
        with Receiver(answer(503, Retry_After=form), OK) as r:
            status, text = suite.export("--otlp", "--signal", "traces", "--endpoint", r.url)
            gap = r.requests[-1].at - r.requests[0].at
            if status != 0 or len(r.requests) != 2 or gap < 1.9:
                bad.append((name, f"exit {status}, {len(r.requests)} requests, {gap:.2f} s apart: {text}"))
    suite.check("Retry-After is honoured in both forms", bad, len(forms))


def nobody(suite):
    with Receiver(OK) as r:
        url = r.url
    status, text = suite.export("--otlp", "--signal", "traces", "--endpoint", url)
    bad = [] if status == 3 and "given up after 5 tries" in text and url in text else [(status, text)]
    suite.check("a receiver that is not there is said", bad, 1)


# name, variables (BASE is the receiver), arguments, path, headers that are sent
WISHES = [
    ("base", {"OTEL_EXPORTER_OTLP_ENDPOINT": "BASE"}, [], "/v1/traces", {"content-type": PROTOBUF}),
    ("base with a slash", {"OTEL_EXPORTER_OTLP_ENDPOINT": "BASE/"}, [], "/v1/traces", {}),
    ("base with a path", {"OTEL_EXPORTER_OTLP_ENDPOINT": "BASE/a/b"}, [], "/a/b/v1/traces", {}),
    ("as it is", {"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": "BASE/x/"}, [], "/x/", {}),
    ("the option is stronger", {"OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:1"}, ["--endpoint", "BASE"], "/v1/traces", {}),
    ("JSON", {"OTEL_EXPORTER_OTLP_ENDPOINT": "BASE", "OTEL_EXPORTER_OTLP_PROTOCOL": "http/json"}, [], "/v1/traces",
     {"content-type": "application/json"}),
    ("the format is stronger", {"OTEL_EXPORTER_OTLP_ENDPOINT": "BASE", "OTEL_EXPORTER_OTLP_PROTOCOL": "grpc"},
     ["--format", "otlp-json"], "/v1/traces", {"content-type": "application/json"}),
    ("headers", {"OTEL_EXPORTER_OTLP_ENDPOINT": "BASE", "OTEL_EXPORTER_OTLP_HEADERS": "x-a=1%202,x-b=3",
                 "OTEL_EXPORTER_OTLP_TRACES_HEADERS": "x-b=4"}, [], "/v1/traces", {"x-a": "1 2", "x-b": "4"}),
    ("gzip", {"OTEL_EXPORTER_OTLP_ENDPOINT": "BASE", "OTEL_EXPORTER_OTLP_COMPRESSION": "gzip"}, [], "/v1/traces",
     {"content-encoding": "gzip"}),
    ("phoenix", {"PHOENIX_COLLECTOR_ENDPOINT": "BASE", "PHOENIX_API_KEY": "k", "PHOENIX_PROJECT_NAME": "p"},
     ["--to", "phoenix"], "/v1/traces", {"content-type": PROTOBUF, "authorization": "Bearer k", "x-project-name": "p"}),
    ("langfuse", {"LANGFUSE_BASE_URL": "BASE", "LANGFUSE_PUBLIC_KEY": "pk", "LANGFUSE_SECRET_KEY": "sk"},
     ["--to", "langfuse"], "/api/public/otel/v1/traces",
     {"authorization": "Basic " + base64.b64encode(b"pk:sk").decode(), "x-langfuse-ingestion-version": "4"}),
    ("jaeger", {}, ["--to", "jaeger", "--endpoint", "BASE"], "/v1/traces", {"content-type": PROTOBUF}),
    ("tempo", {}, ["--to", "tempo", "--endpoint", "BASE"], "/v1/traces", {"content-type": PROTOBUF}),
]


def wish_case(suite, case):
    name, env, arguments, path, headers = case
    with Receiver(OK) as r:
        env = {k: v.replace("BASE", r.url) for k, v in env.items()}
        arguments = [a.replace("BASE", r.url) for a in arguments]
        status, text = suite.export("--otlp", "--signal", "traces", *arguments, env=env)
        if status != 0 or not r.requests:
            return name, f"exit {status}: {text}"
        q = r.requests[0]
        if q.path != path:
            return name, f"was sent to {q.path}"
        wrong = [f"{k}: {q.headers.get(k)}" for k, v in headers.items() if q.headers.get(k) != v]
        return (name, ", ".join(wrong)) if wrong else None


def the_wishes(suite):
    with ThreadPoolExecutor(8) as pool:
        bad = [x for x in pool.map(lambda c: wish_case(suite, c), WISHES) if x]
    suite.check("variables, options and presets are honoured", bad, len(WISHES))


# variables, arguments, what the message has
REFUSED = [
    ({"OTEL_EXPORTER_OTLP_PROTOCOL": "grpc"}, [], "http/protobuf"),
    ({"OTEL_EXPORTER_OTLP_HEADERS": SECRET}, [], "OTEL_EXPORTER_OTLP_HEADERS: item 1"),
    ({"OTEL_EXPORTER_OTLP_TIMEOUT": "soon"}, [], "OTEL_EXPORTER_OTLP_TIMEOUT"),
    ({"OTEL_EXPORTER_OTLP_COMPRESSION": "zip"}, [], "neither gzip nor none"),
    ({"OTEL_RESOURCE_ATTRIBUTES": "a=1,b"}, [], "OTEL_RESOURCE_ATTRIBUTES: item 2"),
    ({}, ["--to", "phoenix", "--format", "otlp-json"], "protobuf only"),
    ({}, ["--to", "langfuse"], "LANGFUSE_PUBLIC_KEY"),
]


def the_refused(suite):
    bad = []
    for env, arguments, words in REFUSED:
        with Receiver(OK) as r:
            status, text = suite.export("--otlp", "--signal", "traces", "--endpoint", r.url, *arguments, env=env)
            if status != 2 or words not in text or SECRET in text or r.requests:
                bad.append((words, f"exit {status}, {len(r.requests)} requests: {text}"))
    suite.check("what cannot be is refused before anything is sent", bad, len(REFUSED))


def the_bodies(suite):
    """What is sent as JSON is what a file would hold; both signals have their own path."""
    path = f"{suite.place}/spans.json"
    status, text = suite.export("--format", "otlp-json", "-o", path)
    bad = [] if status == 0 else [("file", text)]
    with Receiver(OK) as r:
        status, text = suite.export("--otlp", "--format", "otlp-json", "--signal", "both", "--endpoint", r.url)
        sent = [json.loads(q.body) for q in r.requests if q.path == "/v1/traces"]
        measured = [json.loads(q.body) for q in r.requests if q.path == "/v1/metrics"]
        if status != 0 or not measured or "resourceMetrics" not in measured[0]:
            bad.append(("metrics", f"exit {status}: {text}"))
        if not bad and spans(sent) != spans(documents(path)):
            bad.append(("traces", "are not those of the file"))
    suite.check("what is sent is what a file has", bad, 2)


def run(suite):
    if not suite.can_send():
        return
    the_table(suite)
    retry_after(suite)
    nobody(suite)
    the_wishes(suite)
    the_refused(suite)
    the_bodies(suite)
