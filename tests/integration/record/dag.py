"""Who came from whom: made-up conversations through the recorder, and the edges that must follow from them."""

import copy
import json
import threading
import time

import harness
from wire import Client, Hangup, Upstream, head, whole

TURN = ("model_call", "tool_call", "branch", "retry")  # all but what users say


def answer(request):
    """What the request's own header asks for."""
    want = json.loads(request.header("x-want") or "{}")
    time.sleep(want.get("delay", 0))
    if want.get("cut"):
        raise Hangup
    if want.get("torn"):
        request.conn.sendall(head(headers=[("Content-Type", "application/json"), ("Content-Length", 999)]) + b'{"id":')
        raise Hangup
    if want.get("status", 200) != 200:
        return whole(json.dumps({"error": {"message": "no", "type": "server_error"}}).encode(), status=want["status"])
    calls = [{"id": i, "type": "function", "function": {"name": n, "arguments": "{}"}} for i, n in want.get("calls", [])]
    message = {"role": "assistant", "content": want.get("text"), **({"tool_calls": calls} if calls else {})}
    value = {"id": want.get("id", "x"), "model": "m", "usage": {"prompt_tokens": 2, "completion_tokens": 1, "total_tokens": 3},
             "choices": [{"index": 0, "message": message, "finish_reason": "tool_calls" if calls else "stop"}]}
    return whole(json.dumps(value).encode())


class Talk:
    """A conversation of one client with the server of this file."""

    def __init__(self, held, system=None, **headers):
        self.base, self.headers = held.urls["openai"], headers
        self.client = Client(self.base, 20 * harness.SLOWER)
        self.messages = [{"role": "system", "content": system}] if system else []

    def fork(self):
        other = copy.copy(self)
        other.messages, other.client = list(self.messages), Client(self.base, 20 * harness.SLOWER)
        return other

    def ask(self, text=None, results=(), **want):
        """Adds what the user says or tools gave, asks, and adds the answer."""
        self.messages += [{"role": "tool", "tool_call_id": i, "content": r} for i, r in results]
        self.messages += [{"role": "user", "content": text}] if text else []
        headers = {"Content-Type": "application/json", "x-want": json.dumps(want), **{k.replace("_", "-"): v for k, v in self.headers.items()}}
        body = json.dumps({"model": "m", "messages": self.messages})
        got = self.client.ask("POST", "/chat/completions", body, headers)
        if got.status == 200 and got.whole:
            self.messages.append(json.loads(got.body)["choices"][0]["message"])
        return got.status


def together(*functions):
    threads = [threading.Thread(target=f) for f in functions]
    for t in threads:
        t.start()
    for t in threads:
        t.join()


class Scene:
    """A recorded scene and its trace."""

    def __init__(self, suite, play):
        with Upstream(answer) as upstream, suite.hold(upstream.url) as held:
            play(held)
            done = held.finish()
        self.trace = done.trace()
        self.findings = suite.strict(done.where)

    def calls(self):
        """In the order of their beginning."""
        return self.trace.models()

    def origin(self, node):
        """What it came from, users aside, as (kind, node)."""
        return [(p["kind"], p["node_id"]) if p else ("unknown", None) for p in self.trace.parents(node, *TURN)]


def scene(suite, title, play, judge):
    made = Scene(suite, play)
    bad = [("validate", f) for f in made.findings]
    bad += [("edges", w) for w in judge(made)]
    suite.check(title, bad, 1)


def shape(s):
    """The nodes by kind and origin, for messages."""
    return [(n["kind"], [k for k, _ in s.origin(n)]) for n in s.trace.nodes if n["kind"] != "user_input"]


# ---- scenes ----


def turns(held):
    one, two = Talk(held, "first"), Talk(held, "second")
    one.ask("a", id="a0")
    two.ask("b", id="b0")
    one.ask("c", id="a1")
    two.ask("d", id="b1")
    one.ask("e", id="a2")


def judge_turns(s):
    a0, b0, a1, b1, a2 = s.calls()
    want = {"a0": [], "b0": [], "a1": [a0], "b1": [b0], "a2": [a1]}
    got = {"a0": a0, "b0": b0, "a1": a1, "b1": b1, "a2": a2}
    bad = [f"{n} comes from {s.origin(got[n])}" for n, p in want.items() if [i for _, i in s.origin(got[n])] != [x["node_id"] for x in p]]
    users = len(s.trace.of("user_input"))
    return bad + ([f"{users} messages of users and not 5"] if users != 5 else [])


def retries(held):
    talk = Talk(held)
    for want in ({"status": 500}, {"status": 429}, {"cut": True}, {"torn": True}, {}):
        talk.ask(None if talk.messages else "again and again", **want)
    talk.ask("done")


def judge_retries(s):
    calls = s.calls()
    if len(calls) != 6:
        return [f"{len(calls)} calls and not 6: {shape(s)}"]
    bad = []
    for before, after in zip(calls[:5], calls[1:5]):
        between = s.trace.parents(after, "retry")
        if len(between) != 1 or between[0]["parent_node_ids"] != [before["node_id"]]:
            bad.append(f"no retry leads from {before['model_call']['stop_reason']} to the next try: {shape(s)}")
    failed = [c["model_call"]["stop_reason"] for c in calls]
    if failed != ["error"] * 4 + ["end_turn"] * 2:
        bad.append(f"stop reasons {failed}")
    if [i for _, i in s.origin(calls[5])] != [calls[4]["node_id"]]:
        bad.append("what follows does not come from the try that worked")
    return bad + ([] if len(s.trace.of("user_input")) == 2 else ["a retry is counted as a message of a user"])


def repeats(held):
    """Asked for again after it went well, and a while after a failure something else."""
    for _ in range(3):
        Talk(held).ask("the same")
    Talk(held).ask("fails", status=500)
    Talk(held).ask("something else")


def judge_repeats(s):
    found = s.trace.kinds()
    return [f"{dict(found)}"] if found["retry"] or found["branch"] or found["model_call"] != 5 else []


def forks(held):
    talk = Talk(held, "planner")
    talk.ask("make a plan")
    left, middle, right = talk.fork(), talk.fork(), talk.fork()
    together(lambda: left.ask("do the first", delay=0.4), lambda: middle.ask("do the second", delay=0.4),
             lambda: right.ask("do the third", delay=0.4))


def judge_forks(s):
    first, *rest = s.calls()
    branch = s.trace.of("branch")
    if len(branch) != 1 or branch[0]["branch"]["branch_kind"] != "fan_out":
        return [f"{len(branch)} branches: {shape(s)}"]
    ids = sorted(c["node_id"] for c in rest)
    bad = [] if sorted(branch[0]["branch"]["siblings"]) == ids else [f"siblings {len(branch[0]['branch']['siblings'])} and not 3 calls"]
    bad += [] if branch[0]["parent_node_ids"] == [first["node_id"]] else ["the branch does not come from the first call"]
    return bad + [f"a child comes from {s.origin(c)}" for c in rest if s.origin(c) != [("branch", branch[0]["node_id"])]]


def doubles(held):
    talk = Talk(held)
    talk.messages = [{"role": "user", "content": "who is faster"}]
    twin = talk.fork()
    together(lambda: talk.ask(delay=0.5), lambda: time.sleep(0.1) or twin.ask(delay=0.1))


def judge_doubles(s):
    kinds = [b["branch"]["branch_kind"] for b in s.trace.of("branch")]
    return [] if kinds == ["speculative"] and len(s.calls()) == 2 else [f"branches {kinds}: {shape(s)}"]


def tools(held):
    """One tool, then three at once of which one is answered late, then a chain."""
    talk = Talk(held)
    talk.ask("begin", calls=[("c1", "read_file")])
    talk.ask(results=[("c1", "one")], calls=[("c2", "search"), ("c3", "search"), ("c4", "shell")])
    talk.ask(results=[("c2", "two"), ("c3", "three"), ("c4", '{"four":4}')], calls=[("c5", "read_file")])
    talk.ask(results=[("c5", "")])


def judge_tools(s):
    calls, found = s.calls(), {t["tool_call"].get("call_id"): t for t in s.trace.of("tool_call")}
    if len(calls) != 4 or sorted(found) != ["c1", "c2", "c3", "c4", "c5"]:
        return [f"{len(calls)} calls, tools {sorted(found)}"]
    branch = s.trace.of("branch")
    want = {"c1": calls[0], "c5": calls[2], "c2": branch[0], "c3": branch[0], "c4": branch[0]} if len(branch) == 1 else {}
    bad = [] if want else [f"{len(branch)} branches"]
    bad += [f"{c} comes from {s.origin(found[c])}" for c, p in want.items() if found[c]["parent_node_ids"] != [p["node_id"]]]
    joined = {1: ["c1"], 2: ["c2", "c3", "c4"], 3: ["c5"]}
    for n, ids in joined.items():
        if sorted(i for _, i in s.origin(calls[n])) != sorted(found[c]["node_id"] for c in ids):
            bad.append(f"call {n} comes from {s.origin(calls[n])} and not {ids}")
    sizes = [found[c]["tool_call"]["result_size_bytes"] for c in ("c2", "c4", "c5")]
    return bad + ([] if sizes == [3, 10, 0] else [f"sizes of results {sizes}"])


def orphans(held):
    """A conversation that began elsewhere: results of calls that nobody saw."""
    talk = Talk(held)
    talk.messages = [{"role": "user", "content": "old"},
                     {"role": "assistant", "content": None,
                      "tool_calls": [{"id": "gone", "type": "function", "function": {"name": "search", "arguments": "{}"}}]}]
    talk.ask(results=[("gone", "from elsewhere")])
    talk.ask("go on", calls=[("open", "shell")])  # and one that is never answered


def judge_orphans(s):
    tools_seen = [(t["tool_call"]["name"], t["tool_call"].get("partial", False)) for t in s.trace.of("tool_call")]
    unknown = [n for n in s.trace.nodes if None in s.trace.parents(n)]
    bad = [f"{len(unknown)} nodes have parents that are not there"] if unknown else []
    return bad + ([] if ("shell", True) in tools_seen else [f"the call without a result is not there as partial: {tools_seen}"])


def agents(held):
    """Claude Code's sub-agents name themselves."""
    session = {"x_claude_code_session_id": "0198f1d2-0000-7000-8000-00000000000a"}
    main = Talk(held, "main", **session)
    main.ask("begin", calls=[("t1", "Task")])
    helper = Talk(held, "helper", **session, x_claude_code_agent_id="helper-1")
    helper.ask("look for it", calls=[("r1", "Read")])
    helper.ask(results=[("r1", "found")])
    main.ask(results=[("t1", "the helper found it")])


def judge_agents(s):
    m0, h0, h1, m1 = s.calls()
    marks = [c.get("agent_id") for c in (m0, h0, h1, m1)]
    bad = [] if marks == [None, "helper-1", "helper-1", None] else [f"agents {marks}"]
    linked = [k for k, i in s.origin(h1) if k == "tool_call"]
    bad += [] if linked == ["tool_call"] else [f"the helper's second call comes from {s.origin(h1)}"]
    back = [p["tool_call"]["name"] for p in s.trace.parents(m1, "tool_call")]
    return bad + ([] if back == ["Task"] else [f"the main line goes on from {back}"])


SCENES = (
    ("turns of two conversations at once follow their own", turns, judge_turns),
    ("a failure, in whatever way, leads to its retry", retries, judge_retries),
    ("the same asked again after an answer is no retry", repeats, judge_repeats),
    ("several calls at once from one answer are a fan-out", forks, judge_forks),
    ("the same asked twice at once is speculative", doubles, judge_doubles),
    ("tools, alone and together, are joined by the next call", tools, judge_tools),
    ("what began elsewhere or never ended leaves no loose ends", orphans, judge_orphans),
    ("sub-agents are told apart", agents, judge_agents),
)


def run(suite):
    for title, play, judge in SCENES:
        scene(suite, title, play, judge)
