"""An upstream that speaks TLS: trusted through SSL_CERT_FILE it is recorded like any other, untrusted it is refused, and the
client is told why."""

import json
import os
import shutil
import ssl
import subprocess

from wire import Upstream, ask, chunked, whole


def make_authority(where, name):
    """A certificate authority of our own, and a server's certificate for this name that it signed."""
    ca, key, server = (os.path.join(where, n) for n in ("ca.pem", "key.pem", "server.pem"))
    common = ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2"]
    steps = [
        [*common, "-keyout", ca + ".key", "-out", ca, "-subj", "/CN=authority of " + name, "-addext", "keyUsage=critical,keyCertSign"],
        [*common, "-keyout", key, "-out", server, "-subj", "/CN=" + name, "-CA", ca, "-CAkey", ca + ".key",
         "-addext", "subjectAltName=DNS:" + name, "-addext", "basicConstraints=critical,CA:FALSE"],
    ]
    for words in steps:
        done = subprocess.run(words, capture_output=True, check=False)
        if done.returncode != 0:
            return None, done.stderr.decode(errors="replace")[-300:]
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(server, key)
    return (ca, context), ""


def answer(request):
    asked = json.loads(request.body)
    usage = {"prompt_tokens": 31, "completion_tokens": 17, "total_tokens": 48}
    if asked.get("stream"):
        event = {"id": "t1", "model": "m", "choices": [{"index": 0, "delta": {"content": "hello"}, "finish_reason": "stop"}], "usage": usage}
        return chunked([b"data: " + json.dumps(event).encode() + b"\n\n", b"data: [DONE]\n\n"])
    choice = {"index": 0, "message": {"role": "assistant", "content": "hello"}, "finish_reason": "stop"}
    return whole(json.dumps({"id": "t2", "model": "m", "choices": [choice], "usage": usage}).encode())


def question(stream):
    return json.dumps({"model": "m", "stream": stream, "messages": [{"role": "user", "content": f"stream {stream}"}]})


def run(suite):
    if not shutil.which("openssl"):
        suite.skip("tls", "openssl is not installed")
        return
    ours, why = make_authority(suite.directory("authority"), "localhost")
    other, _ = make_authority(suite.directory("authority"), "other.example")
    if not ours or not other:
        suite.skip("tls", f"openssl cannot make certificates: {why}")
        return
    with Upstream(answer, ours[1]) as upstream:
        address = f"https://localhost:{upstream.port}"
        trusted(suite, address, ours[0])
        untrusted(suite, address, other[0], "an unknown authority is refused")
    with Upstream(answer, other[1]) as upstream:
        untrusted(suite, f"https://localhost:{upstream.port}", other[0], "a certificate for another name is refused")


def trusted(suite, address, authority):
    with suite.hold(address, more={"SSL_CERT_FILE": authority, "SSL_CERT_DIR": ""}) as held:
        got = [ask(held.urls["openai"], "POST", "/chat/completions", question(s)) for s in (False, True, False)]
        done = held.finish()
    right = all(g.status == 200 and g.whole and b"hello" in g.body for g in got)
    suite.one("an upstream with TLS answers through the recorder", right, f"{[(g.status, g.body[:80]) for g in got]} {done.err[-200:]}")
    calls = done.trace().models()
    tokens = [(c["model_call"]["input_tokens"], c["model_call"]["output_tokens"]) for c in calls]
    suite.one("its calls are recorded", tokens == [(31, 17)] * 3, f"{tokens}")
    ends = {c["model_call"]["endpoint"] for c in calls}
    suite.one("with the address they went to", ends == {f"{address}/v1/chat/completions"}, f"{ends}")


def untrusted(suite, address, authority, title):
    with suite.hold(address, more={"SSL_CERT_FILE": authority, "SSL_CERT_DIR": ""}) as held:
        got = ask(held.urls["openai"], "POST", "/chat/completions", question(False), timeout=20)
        done = held.finish()
    suite.one(f"{title} with 502", got.status == 502, f"{got.status} {got.body[:200]}")
    said = got.body.decode(errors="replace") + done.err
    suite.one(f"{title}: the message speaks of the certificate", "certificate" in said.lower(), said[-300:])
    calls = done.trace().models()
    failed = len(calls) == 1 and calls[0]["model_call"]["stop_reason"] == "error"
    suite.one(f"{title}: the trace has the failed call", failed, f"{[c['model_call'] for c in calls]}")
