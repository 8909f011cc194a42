"""
Requests at the same time that differ in one word only: each gets its own answer or a miss, and never another's. The
thousand shuffles are in tests/unit/replay/test_match.c; here are a few over real connections.
"""

import json
import os
import re
import sys
import threading

from wire import Upstream, whole

HERE = os.path.dirname(os.path.abspath(__file__))
MANY, SHUFFLES = 200, int(os.environ.get("SHUFFLES", "5"))


def crowd():
    """A service that answers nobody before all have asked."""
    all_asked = threading.Barrier(MANY)

    def answer(request):
        name = re.search(rb"You are reviewer (\w+)\.", request.body).group(1).decode()
        all_asked.wait(60)
        return whole(json.dumps({"id": f"a{name}", "choices": [{"index": 0, "message": {"role": "assistant", "content": f"I am reviewer {name}."},
                                                               "finish_reason": "stop"}]}).encode())

    return Upstream(answer)


def run(suite):
    command = [sys.executable, "-B", os.path.join(HERE, "crowd_agent.py")]
    with crowd() as upstream:
        recorded = suite.record(command, {"openai": f"{upstream.url}/v1"}, ["-q", "--content"])
    own = "".join(sorted(f"{n} own\n" for n in range(MANY))).encode()
    if not suite.one(f"{MANY} requests at once are recorded", recorded.out == own, f"{recorded.out[-200:]} {recorded.err[-400:]}"):
        return
    bad = []
    for n in range(SHUFFLES):
        got = suite.replay(recorded.where, command, more={"SHUFFLE": str(n + 1)})
        if got.verdict != "EQUIVALENT" or got.document["masked"] != MANY or got.of("order"):
            bad.append((n, str(got)))
    suite.check(f"each of {MANY} gets its own answer, in whatever order", bad, SHUFFLES)
    lines = {line["req"]["body"]["inline"]["messages"][0]["content"].split(".")[0]: line["x"] for line in suite.cassette(recorded.where)}
    for name, value, verdict, cls in (("ODD", 177, "DIVERGED", "request_mismatch"), ("TWICE", 23, "DIVERGED", "extra_call")):
        out = os.path.join(suite.directory("said"), "out")
        got = suite.replay(recorded.where, command, ["--on-divergence", "continue", "--child-stdout", out], {name: str(value), "SHUFFLE": "9"})
        with open(out, encoding="utf-8") as f:
            said = f.read().split("\n")[:-1]
        suite.one(f"{name.lower()}: one miss, and no answer is another's", sum(s.endswith("miss") for s in said) == 1 and
                  not any(s.endswith("swapped") for s in said), f"{[s for s in said if not s.endswith('own')]}")
        suite.one(f"{name.lower()}: it is told", got.verdict == verdict and len(got.of(cls)) == 1, str(got))
    odd = suite.replay(recorded.where, command, ["--on-divergence", "continue"], {"ODD": "177"})
    left = odd.of("unconsumed") + odd.of("missing_call")
    suite.one("the one that was left is named", [d["x"] for d in left] == [lines["You are reviewer 177"]], f"{left}"[:300])
