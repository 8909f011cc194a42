"""What users of other replayers ran into, where no other set has it: each is a scene."""

import json
import os
import random
import re
import sys

import plans
from scenes import answer
from wire import Hangup, Upstream, chunked, cut, head, whole

HERE = os.path.dirname(os.path.abspath(__file__))


def record(suite, steps, service=answer, options=()):
    with Upstream(service) as upstream:
        urls = {"openai": f"{upstream.url}/v1", "anthropic": upstream.url, "gemini": upstream.url, "ollama": upstream.url}
        recorded = suite.record(suite.plan(steps), urls, ["-q", "--content", *options])
    suite.one("it is recorded", recorded.status == 0 and b"done" in recorded.out, f"{recorded.status} {recorded.out[-300:]} {recorded.err[-500:]}")
    return recorded


def ask(ident, text, **more):
    return {"ask": {"target": "/chat/completions", "want": plans.want(ident, f"said {ident}"),
                    "body": {"model": "m", "messages": [plans.user(text)]}, **more}}


SAID = {"say": "done"}


def repeated(suite):
    """The same request with several answers keeps all of them, in order; and there is no more than was recorded."""
    steps = [ask(f"p{n}", "is it done?") for n in range(4)]
    recorded = record(suite, [*steps, SAID])
    suite.one("four answers to one request", re.findall(rb"said (p\d)", recorded.out) == [b"p0", b"p1", b"p2", b"p3"], f"{recorded.out}")
    suite.same("the same request four times", suite.replay(recorded.where, suite.plan([*steps, SAID])))
    more = suite.replay(recorded.where, suite.plan([*steps, steps[0], SAID]))
    suite.one("a fifth time is one too many", more.verdict == "DIVERGED" and more.first["class"] == "extra_call", str(more))
    fewer = suite.replay(recorded.where, suite.plan([*steps[:3], SAID]))
    suite.one("three times are too few", fewer.verdict == "INCOMPLETE" and [d["x"] for d in fewer.of("unconsumed")] == [3], str(fewer))


def failing(request):
    """Errors of every kind, with what a client reads of them."""
    kind = json.loads(request.header("x-want"))["id"]
    if kind == "limit":
        return whole(b'{"error":{"message":"slow down","type":"rate_limit_error"}}', 429, headers=[("retry-after", "3"), ("x-should-retry", "true")])
    if kind == "broken":
        return whole(b"<html>Bad Gateway</html>", 502, "text/html")
    if kind == "torn":
        request.conn.sendall(head(headers=[("Content-Type", "application/json"), ("Content-Length", 99)]) + b'{"id":')
        raise Hangup
    if kind == "usage":
        value = {"id": "u", "model": "m", "choices": [{"index": 0, "message": {"role": "assistant", "content": "x"},
                                                       "finish_reason": "content_filter"}],
                 "usage": {"prompt_tokens": 7, "completion_tokens": 0, "prompt_tokens_details": {"cached_tokens": 3}}}
        return chunked(cut(json.dumps(value).encode(), 9), kind="application/json")
    return answer(request)


def errors(suite):
    """Stop reason, usage, statuses, headers and broken answers come again, and not only texts."""
    kinds = ("limit", "broken", "torn", "usage", "refused", "good")
    steps = [{"ask": {"target": "/chat/completions", "body": {"model": "m", "messages": [plans.user(k)]}, "want": plans.want(k, "fine"),
                      "heads": True}}
             for k in kinds]
    recorded = record(suite, [*steps, SAID], failing)
    said = recorded.out
    for part in (b"429", b"retry-after: 3", b"502", b"Bad Gateway", b"broken off", b"content_filter", b'"cached_tokens": 3'):
        suite.one(f"{part.decode()} is recorded", part in said, f"{said}")
    suite.same("errors, usage and stop reasons", suite.replay(recorded.where, suite.plan([*steps, SAID])))


def misses(suite):
    """A miss says so in the provider's own words, and that asking again is no use."""
    recorded = record(suite, [ask("a", "hello"), SAID])
    shapes = {"openai": ("/chat/completions", '"code":"replay_miss"'), "anthropic": ("/v1/messages", '"type":"error"'),
              "gemini": ("/v1beta/models/m:generateContent", '"status":"'), "ollama": ("/api/chat", '{"error":"')}
    for service, (target, mark) in shapes.items():
        steps = [{"ask": {"service": service, "target": target, "body": {"model": "m", "messages": [plans.user("other")]},
                          "want": plans.want("x"), "heads": True}}, SAID]
        out = os.path.join(suite.directory("said"), "out")
        got = suite.replay(recorded.where, suite.plan(steps), ["--on-divergence", "continue", "--child-stdout", out])
        with open(out, encoding="utf-8") as f:
            said = f.read()
        suite.one(f"a miss of {service}", said.startswith("400 ") and "x-should-retry: false" in said and mark in said
                  and got.verdict == "DIVERGED", f"{said} {got}")
        suite.one(f"a miss of {service} is DIVERGED, though a request is left", got.of("unconsumed") and got.status == 1, str(got))


def live(suite):
    """The model from the record and tools live: what they say otherwise is tool drift."""
    tell = [{"run": {"argv": ["bash", "-c", "date +%s.%N"], "stdin": ""}}, {"run": {"argv": ["bash", "-c", "echo the same"], "stdin": ""}}]
    steps = [ask("a", "what time is it?"), *tell, ask("b", "thanks"), SAID]
    recorded = record(suite, steps, options=["--shell"])
    suite.same("stubbed, a clock stands still", suite.replay(recorded.where, suite.plan(steps)))
    got = suite.replay(recorded.where, suite.plan(steps), ["--live", "tools"])
    drift = got.of("tool_drift")
    suite.one("live, its drift is told, at its place", len(drift) == 1 and drift[0]["tool"] == "bash" and drift[0]["path"] == "/stdout",
              f"{got} {drift}")
    how = {t["name"]: t["how"] for t in got.document.get("tools", [])}
    suite.one("and the tools are listed as live", how.get("bash") == "live" and got.document["mode"] == "live tools",
              f"{how} {got.document.get('mode')}")


def redacted(suite):
    """A redacted tape is never EXACT without its key; with it, a picture that looks like one long secret is still itself."""
    picture = "".join(random.Random(1).choices("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/", k=40000))
    content = [{"type": "text", "text": "my key is sk-proj-Zk9aQ2mX7vL4tR8wB3nC6yD1fG5hJ0kPsU2eIoTq"},
               {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{picture}"}}]
    steps = [{"ask": {"target": "/chat/completions", "body": {"model": "m", "messages": [plans.user(content)]}, "want": plans.want("a", "seen")}},
             SAID]
    recorded = record(suite, steps)
    plain, keyed = suite.directory("plain"), suite.directory("keyed")
    suite.environment["TRACKWAY_KEYS"] = os.path.join(suite.place, "keys")
    for where, options in ((plain, []), (keyed, ["--key", "k"])):
        status, out, err, _ = suite.run(["redact", "--keep-structure", *options, os.path.join(recorded.where, "cassette.jsonl"), "-o",
                                         f"{where}/cassette.jsonl"])
        with open(f"{where}/cassette.jsonl", encoding="utf-8") as f:
            text = f.read()
        suite.one("what was said is gone", status == 0 and "sk-proj-Zk9a" not in text and picture[:99] not in text, f"{status} {err}")
    for title, where, options, verdicts in (
            ("without its key", keyed, [], ("NOT_REPLAYABLE",)), ("without a key", plain, [], ("NOT_REPLAYABLE",)),
            ("when it is allowed", keyed, ["--allow-redacted"], ("EQUIVALENT", "DIVERGED")), ("with its key", keyed, ["--redact-key", "k"],
                                                            ("EXACT",))):
        got = suite.replay(where, suite.plan(steps), options)
        suite.one(f"a redacted tape {title} is {' or '.join(verdicts)}", got.verdict in verdicts, str(got))
    suite.one("it says by which key it was redacted", got.document["redacted_with"], str(got.document.get("redacted_with")))
    content[1]["image_url"]["url"] = content[1]["image_url"]["url"][:-9] + "A" + content[1]["image_url"]["url"][-8:]
    got = suite.replay(recorded.where, suite.plan(steps))
    suite.one("one letter of a picture is another", got.verdict == "DIVERGED" and got.first["path"].endswith("/image_url/url"), str(got))


LEAVING = """
import json, os, socket, subprocess, sys
def tried(what, *where):
    try:
        with socket.socket(what, where[0]) as s:
            s.settimeout(5)
            s.connect(where[1]) if where[0] == socket.SOCK_STREAM else s.sendto(b"x", where[1])
        return "out"
    except OSError as e:
        return "no route" if e.errno in (101, 99, 113) else repr(e)
print(tried(socket.AF_INET, socket.SOCK_STREAM, ("192.0.2.7", 80)), tried(socket.AF_INET, socket.SOCK_DGRAM, ("192.0.2.7", 53)),
      tried(socket.AF_INET6, socket.SOCK_STREAM, ("2001:db8::7", 80)))
if len(sys.argv) == 1:
    sys.stdout.flush()
    subprocess.run([sys.executable, __file__, "inside"])
"""


def network(suite):
    """Nothing leaves, whoever tries, and the verdict says so, or that it is not so."""
    recorded = record(suite, [ask("a", "hello"), SAID])
    path = suite.write(suite.directory("leaving"), "leaving.py", LEAVING)
    out = os.path.join(suite.directory("said"), "out")
    command = ["sh", "-c", f'"{sys.executable}" -B {path} && exec "$@"', "-", *suite.plan([ask("a", "hello"), SAID])]
    got = suite.replay(recorded.where, command, ["--child-stdout", out])
    with open(out, encoding="utf-8") as f:
        said = f.read().splitlines()[:2]
    if not got.document["network"]["isolated"]:
        suite.one("the verdict says why it is not cut off", got.document["network"]["why_not"], str(got.document["network"]))
        suite.skip("nothing leaves", f"this system allows no namespace: {got.document['network']['why_not']}")
        return
    suite.one("TCP and UDP find no route, in children too", said == ["no route no route no route"] * 2, f"{said}")
    suite.one("and the attempts are counted", (got.document["network"]["attempts"] or 0) >= 4, str(got.document["network"]))
    got = suite.replay(recorded.where, suite.plan([ask("a", "hello"), SAID]), ["--share-network"])
    suite.one("with --share-network the verdict says that it is not cut off", got.document["network"]["isolated"] is False,
              str(got.document["network"]))


def tools(suite):
    """Each tool is told as stubbed or as run in the agent."""
    conversation = plans.conversation()
    where = record(suite, [{"run": {"argv": ["git", "--version"], "stdin": ""}}, *conversation], options=["--shell"]).where
    got = suite.replay(where, suite.plan([{"run": {"argv": ["git", "--version"], "stdin": ""}}, *conversation]))
    how = {t["name"]: t["how"] for t in got.document["tools"]}
    suite.one("tools are stubbed or ran in the agent", how == {"git": "stubbed", "forecast": "ran_in_agent", "read_file": "ran_in_agent"}, f"{how}")
    suite.one("a trace beside a cassette is no cassette", suite.replay(os.path.join(where, "agent-trace.jsonl"),
                                                            ["true"]).verdict == "NOT_REPLAYABLE", "it is")


def torn(suite):
    """Of a recorder that was killed, what was kept is replayed; what is damaged in the middle is an error."""
    steps = [ask("a", "one"), ask("b", "two"), SAID]
    recorded = record(suite, steps)
    with open(os.path.join(recorded.where, "cassette.jsonl"), "rb") as f:
        lines = f.read().splitlines(True)
    for title, kept, status in (("without its last line", lines[:-1], (0,)), ("torn in a line", [*lines[:-2], lines[-2][:-40]], (1,)),
                                ("damaged in the middle", [lines[0], lines[1][:-40] + b"\n", *lines[2:]], (3,)), ("empty", [], (3,)),
                                ("without its first line", lines[1:], (3,))):
        where = suite.directory("torn")
        suite.write(where, "cassette.jsonl", b"".join(kept))
        got = suite.replay(where, suite.plan(steps))
        suite.one(f"a cassette {title}", got.status in status and got.verdict != "EXACT", str(got))


def run(suite):
    for scene in (repeated, errors, misses, live, redacted, network, tools, torn):
        suite.note(scene.__name__)
        scene(suite)
