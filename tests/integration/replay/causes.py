"""
The causes for which replays of agents failed: a web search, whose result is another one each day, and the current time.
Both are served from the record. A changed year in a prompt is DIVERGED, and a changed message diverges at just that one.
"""

import json
import os
import sys
import time

from scenes import answer
from wire import Upstream, whole

HERE = os.path.dirname(os.path.abspath(__file__))
AGENT = os.path.join(HERE, "news_agent.py")


def search(_request):
    """Something else each time."""
    return whole(json.dumps({"results": [f"news of {time.ctime()}, {time.time_ns()}"], "took": time.perf_counter()}).encode())


def run(suite):
    command = [sys.executable, "-B", AGENT, suite.program]
    with Upstream(answer) as upstream, Upstream(search) as web:
        urls = {"openai": f"{upstream.url}/v1", "search": web.url}
        recorded = suite.record(command, urls, ["-q", "--content", "--shell"])
        suite.one("an agent that searches and asks for the time is recorded", recorded.status == 0 and b"done" in recorded.out,
                  f"{recorded.status} {recorded.out[-300:]} {recorded.err[-500:]}")
        asked = len(web.seen)
        again = suite.replay(recorded.where, command)
        suite.same("a search, the time of a server and of a command", again, ("EXACT", "EQUIVALENT"))
        suite.one("the web was asked by the recorded run only", len(web.seen) == asked == 1, f"{len(web.seen)}")
    suite.note(f"{again.verdict}; masked {again.document.get('masked')}, substituted {len(again.of('volatile_substitution'))}")
    model = [line["x"] for line in suite.cassette(recorded.where) if line["lane"] == "model" and line["provider"] == "openai"]
    for name, value, at, path in (("YEAR", "2032", 0, "/messages/0/content"), ("WORD", "tommorrow", 1, "/messages/2/content"),
                                  ("LAST", "bye", 3, "/messages/8/content")):
        got = suite.replay(recorded.where, command, more={name: value})
        right = got.verdict == "DIVERGED" and got.status == 1 and got.first.get("class") == "request_mismatch"
        suite.one(f"another {name.lower()} in a prompt is DIVERGED, at that message",
                  right and got.first["x"] == model[at] and got.first["path"] == path and got.first["nearest"][0]["distance"] == 1, str(got))
        suite.one(f"another {name.lower()}: what came before was served", got.document.get("served", -1) >= at, str(got.document.get("served")))
