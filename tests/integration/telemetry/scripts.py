"""What the mock answers, by the model of each part: the first rule that fits is taken. Its log names the rule, so that the
tokens of every call are known without looking at what passed."""

import json

WORDS = "one word after the other until the end"
CALLS = ("read_file", "get_forecast")
ASKING = 40  # tokens of the answers that ask for both


def rule(model, given, made, contains=None, **more):
    match = {"model": model, **({"contains": contains} if contains else {})}
    reply = {"text": WORDS, "usage": {"input": given, "output": made}, **more.pop("reply", {})}
    return {"match": match, "reply": reply, **more}


def asking(canary, *names):
    return {"tool_calls": [{"name": n, "arguments": {"x": f"{canary} {n}"}} for n in names]}


def rules(canary):
    fault = {"status": 500, "headers": {"retry-after-ms": "20"}}
    return [
        rule("*-plain", 140, 9, contains="plain two"),
        rule("*-plain", 100, 8),
        rule("*-stream", 50, 21, pace={"ttft_ms": 30, "itl_ms": 1}),
        rule("*-tools", 301, 12, contains="RESULT of"),
        rule("*-tools", 200, ASKING, reply=asking(canary, *CALLS)),
        rule("*-above", 77, 7, contains=WORDS),
        rule("*-above", 66, 6, reply=asking(canary, "ask_other")),
        rule("*-handoff", 88, 8, reply={"tool_calls": [{"name": "transfer_to_second", "arguments": {}}]}),
        {"match": {"model": "*-retry", "nth": 1}, "fault": {**fault, "status": 429}},
        rule("*-retry", 30, 4),
        {"match": {"model": "*-again", "nth": 1}, "fault": fault},
        rule("*-again", 31, 5),
        {"match": {"model": "*-error"}, "fault": {"status": 400}},
        rule("*-same", 11, 3, pace={"ttft_ms": 150}),
        {"match": {"path": "/embeddings"}},
    ]


def script(canary):
    return json.dumps({"schema": "trackway.mock/1", "rules": rules(canary)}).encode()


def tokens(canary, line):
    """(input, output) of a line of the mock's log, as the script says; None where the mock counted for itself."""
    usage = rules(canary)[line["rule"]].get("reply", {}).get("usage")
    return (usage["input"], usage["output"]) if usage else (0, 0) if line["status"] != 200 else None
