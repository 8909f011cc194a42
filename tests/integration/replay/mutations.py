"""
The battery of mutations: every request, argument, parameter, order, result and message of a recorded run is changed in
turn, in each of many ways. Each change must be DIVERGED or INCOMPLETE, of the right class, at the right place of the
recording. Nothing stays green; and what means the same stays so.
"""

import collections
import copy
import hashlib
import json
import os
import shutil

import kinds
import plans
from recording import each
from replaying import seqs
from scenes import answer
from wire import Upstream

SOME = 1  # mutations of each kind in each request that are drawn without ALL=1, and
FEW = 1  # of each kind in each lane that are made then


class Run:
    """A recorded plan. number_of tells which exchange a step, or a part of it, was."""

    def __init__(self, suite, lane, steps, options=()):
        self.suite, self.lane, self.steps = suite, lane, steps
        with Upstream(answer) as upstream:
            urls = {"openai": f"{upstream.url}/v1", "anthropic": upstream.url, "gemini": upstream.url}
            recorded = suite.record(suite.plan(steps), urls, ["-q", "--content", *options])
        suite.one(f"{lane} is recorded", recorded.status == 0 and b"done" in recorded.out,
                  f"{recorded.status} {recorded.out[-300:]} {recorded.err[-600:]}")
        self.where, self.lines, self.seqs = recorded.where, suite.cassette(recorded.where), seqs(recorded.where)

    def number_of(self, fits):
        """The exchange for which this is true; the first of several."""
        return next((line["x"] for line in self.lines if fits(line)), None)


class Case:
    """A changed plan, and what the verdict must say."""

    def __init__(self, run, kind, steps, x, path=None, classes=("request_mismatch",), verdicts=("DIVERGED",), options=(), first=True):
        self.run, self.kind, self.steps, self.x, self.path = run, kind, steps, x, path
        self.classes, self.verdicts, self.options, self.first = classes, verdicts, options, first

    def judge(self):
        """What is wrong with the verdict, or None."""
        suite = self.run.suite
        got = suite.replay(self.run.where, suite.plan(self.steps), ["--timeout", "20", *self.options])
        green = bool({"EXACT", "EQUIVALENT"} & set(self.verdicts))
        if got.verdict not in self.verdicts or got.status != (0 if green else 1):
            return f"{self} gives {got}"
        told = got.first if self.first else next((d for d in got.document["divergences"] if d["class"] in self.classes), {})
        if not self.classes:
            return None
        if told.get("class") not in self.classes:
            return f"{self} is of class {told.get('class')}: {got}"
        places = self.x if isinstance(self.x, set) else {self.x}
        if self.x is not None and (told["x"] not in places or told["recorded_seq"] != self.run.seqs.get(told["x"], told["recorded_seq"])):
            return f"{self} is placed at {told['x']}, seq {told['recorded_seq']}, and not {self.x}, {self.run.seqs}: {got}"
        got_path = told["path"] or ""
        inside = "member" in self.kind and got_path and (self.path or "").startswith(got_path)  # of what is left out when empty
        if self.path is not None and not got_path.startswith(self.path) and not inside:
            return f"{self} is placed at {told['path']}: {got}"
        return None

    def __str__(self):
        return f"{self.kind} at {self.x}{self.path or ''}"


class Battery:
    def __init__(self, suite):
        self.suite, self.cases = suite, []
        self.table = collections.OrderedDict()

    def some(self, run, made):
        """made: (kind, ...) tuples of one request. Some of each kind."""
        by_kind = collections.OrderedDict()
        for one in made:
            by_kind.setdefault(one[0], []).append(one)
        for kind, ones in by_kind.items():
            few = ones if os.environ.get("ALL") else self.suite.random.sample(ones, min(SOME, len(ones)))
            for one in few:
                yield one

    def add(self, *words, **more):
        self.cases.append(Case(*words, **more))

    def play(self):
        if os.environ.get("LANES"):
            self.cases = [c for c in self.cases if c.run.lane in os.environ["LANES"].split(",")]
        if not os.environ.get("ALL"):
            self.cases = self.drawn()
        wrong = each(Case.judge, self.cases, workers=2)
        for case, bad in zip(self.cases, wrong):
            row = self.table.setdefault((case.kind, case.run.lane), [0, 0])
            row[0] += bad is None
            row[1] += 1
        self.suite.check("every change is told, by its class and at its place", [(c.run.lane, w) for c, w in zip(self.cases, wrong) if w],
                         len(self.cases))
        self.tell()
        self.cases = []

    def drawn(self):
        """Some of each kind in each lane."""
        rows = {}
        for case in self.cases:
            rows.setdefault((case.kind, case.run.lane), []).append(case)
        return [c for cases in rows.values() for c in self.suite.random.sample(cases, min(FEW, len(cases)))]

    def tell(self):
        lanes = sorted({lane for _, lane in self.table})
        self.suite.note(f"{'detected of all':40}" + "".join(f"{lane:>14}" for lane in lanes))
        for kind in sorted({k for k, _ in self.table}):
            cells = [self.table.get((kind, lane)) for lane in lanes]
            self.suite.note(f"{kind:40}" + "".join(f"{f'{c[0]}/{c[1]}' if c else '':>14}" for c in cells))


def changed(steps, i, step):
    return steps[:i] + [step] + steps[i + 1:]


def asks(steps):
    """(path of the step, the ask) of each request to a model, those of a group too."""
    for i, step in enumerate(steps):
        if "ask" in step:
            yield i, None, step["ask"]
        for k, one in enumerate(step.get("together", [])):
            yield i, k, one["ask"]


def with_ask(steps, i, k, ask):
    if k is None:
        return changed(steps, i, {"ask": ask})
    group = steps[i]["together"]
    return changed(steps, i, {"together": changed(group, k, {"ask": ask})})


def is_exchange(ask):
    def fits(line):
        inline = line.get("req", {}).get("body", {}).get("inline")
        method = line.get("req", {}).get("method") == ask.get("method", "POST")
        return line["lane"] == "model" and method and inline == ask.get("body", ask.get("raw", ""))
    return fits


# ---- requests to models ----


def bodies(b, run):
    for i, k, ask in asks(run.steps):
        if "body" not in ask:
            continue
        x = run.number_of(is_exchange(ask))
        others = [one["body"] for _, _, one in asks(run.steps) if "body" in one]
        for kind, path, body in b.some(run, kinds.changes(ask["body"])):
            if body in others:
                continue  # it is another request of this run
            # Of requests at the same time that lost what told them apart, any is the place.
            alike = k is not None and ("element" in kind or "member" in kind or kind == "a number in a text")
            group = {run.number_of(is_exchange(s["ask"])) for s in run.steps[i].get("together", [])}
            b.add(run, kind, with_ask(run.steps, i, k, {**ask, "body": body}), group if alike else x, path if not path.startswith("/tools")
                  else "/tools")
        for name, value in (("temperature", 0.9), ("max_tokens", 5), ("seed", 3), ("top_p", 0.1)):
            steps = with_ask(run.steps, i, k, {**ask, "body": {**ask["body"], name: value}})
            b.add(run, "a sampling parameter", steps, x, f"/{name}", ("param_changed",), ("EQUIVALENT",), first=False)
            b.add(run, "a sampling parameter, strict", steps, x, f"/{name}", ("param_changed",), options=["--strict-params"])


def heads(b, run):
    for i, k, ask in asks(run.steps):
        x = run.number_of(is_exchange(ask))
        base, mark, query = ask["target"].partition("?")
        for kind, path, more in (("the method", "method", {"method": "PUT"}), ("the path", "target", {"target": f"{base}s{mark}{query}"}),
                                 ("the query", "target", {"target": f"{ask['target']}{'&' if mark else '?'}more=1"})):
            b.add(run, kind, with_ask(run.steps, i, k, {**ask, **more}), x, path)
        if query:
            b.add(run, "the query gone", with_ask(run.steps, i, k, {**ask, "target": base}), x, "target")
        if "raw" in ask:
            for at in range(len(ask["raw"])):
                raw = ask["raw"][:at] + kinds.other(ask["raw"][at]) + ask["raw"][at + 1:]
                if raw != ask["raw"] and (at % 7 == 0 or os.environ.get("ALL")):
                    b.add(run, "a byte of what is no JSON", with_ask(run.steps, i, k, {**ask, "raw": raw}), x)


def exchange_results(b, run):
    """Results of tools that ran at once, and their ids, are exchanged."""
    for i, k, ask in asks(run.steps):
        results = [n for n, m in enumerate(ask.get("body", {}).get("messages", [])) if m["role"] == "tool"]
        for one, two in zip(results, results[1:]):
            for member in ("content", "tool_call_id"):
                body = copy.deepcopy(ask["body"])
                m = body["messages"]
                m[one][member], m[two][member] = m[two][member], m[one][member]
                b.add(run, "results of two tools exchanged", with_ask(run.steps, i, k, {**ask, "body": body}),
                      run.number_of(is_exchange(ask)), f"/messages/{one}/{member}")


def order(b, run):
    """Requests that are left out, made twice, or in another order."""
    steps, made = run.steps, [i for i, s in enumerate(run.steps) if "ask" in s]
    for i in made:
        x = run.number_of(is_exchange(steps[i]["ask"]))
        last = i == made[-1]
        b.add(run, "a request left out", steps[:i] + steps[i + 1:], x, classes=("unconsumed",) if last else ("missing_call",),
              verdicts=("INCOMPLETE",) if last else ("DIVERGED",))
        b.add(run, "a request made twice", steps[:i + 1] + steps[i:], None, classes=("extra_call",))
        b.add(run, "it ends early", steps[:i] + [{"say": "done"}], x, classes=("unconsumed",), verdicts=("INCOMPLETE",))
    for i, k in zip(made, made[1:]):
        swapped = copy.copy(steps)
        swapped[i], swapped[k] = steps[k], steps[i]
        x = run.number_of(is_exchange(steps[i]["ask"])) if k == i + 1 else None
        b.add(run, "two requests exchanged", swapped, x, classes=("order",))


def groups(b, run):
    steps = run.steps
    first, second = [i for i, s in enumerate(steps) if "together" in s]
    swapped = copy.copy(steps)
    swapped[first], swapped[second] = steps[second], steps[first]
    b.add(run, "two groups exchanged", swapped, None, classes=("order",))
    for i in (first, second):
        group = steps[i]["together"]
        one = run.number_of(is_exchange(group[1]["ask"]))
        b.add(run, "one of a group left out", changed(steps, i, {"together": group[:1] + group[2:]}), one, classes=("missing_call",))
        b.add(run, "one of a group twice", changed(steps, i, {"together": group + group[:1]}), None, classes=("extra_call",))
        b.add(run, "one of a group later", steps[:i] + [{"together": group[1:]}, steps[i + 1], group[0]] + steps[i + 2:],
              run.number_of(is_exchange(group[0]["ask"])), classes=("order",))
        b.add(run, "a group in another order", changed(steps, i, {"together": group[::-1]}), None, classes=(), verdicts=("EXACT", "EQUIVALENT"))


def ends(b, run):
    steps = run.steps
    b.add(run, "standard output", steps[:-1] + [{"say": "dune"}], None, "", ("output_mismatch",))
    b.add(run, "standard output longer", steps + [{"say": "more"}], None, "", ("output_mismatch",))
    b.add(run, "standard output shorter", steps[:-1], None, "", ("output_mismatch",))
    b.add(run, "the exit status", steps + [{"end": 3}], None, None, ("exit_status",))


# ---- values that are new in every run ----


def values(b, run):
    def again(i, old, new, count=1):
        ask = copy.deepcopy(run.steps[i]["ask"])
        last = ask["body"]["messages"][-1]
        assert old in last["content"]
        last["content"] = last["content"].replace(old, new, count)
        return changed(run.steps, i, {"ask": ask})

    x = [line["x"] for line in run.lines]
    for kind, i, old, new in (
            ("two live values for one recorded", 1, "@UUID-a@", "@UUID-d@"), ("one live value for two recorded", 1, "@UUID-c@", "@UUID-a@"),
            ("one live value for two recorded", 0, "@UUID-b@", "@UUID-a@"), ("a value is none", 0, "@UUID-b@", "nobody"),
            ("a value of another kind", 0, "@UUID-b@", "@NOW@"), ("a time beyond 48 hours", 0, "@NOW@", "@NOW+72h@"),
            ("a date beyond 48 hours", 1, "@DATE@", "@DATE+96h@"), ("a date that is no accident", 0, "2019-07-08", "2019-07-09"),
            ("a date that is no accident", 0, "2019-07-08", "@DATE@"), ("a time left out", 0, "@NOW@", "")):
        b.add(run, kind, again(i, old, new), x[i], "/messages")


# ---- MCP ----


def is_message(message):
    def fits(line):
        return line["lane"] == "mcp" and line["from"] == "client" and line["body"].get("inline") == message
    return fits


def messages(b, run):
    for i, step in enumerate(run.steps):
        for k, message in enumerate(step.get("mcp", {}).get("send", [])):
            body = {key: v for key, v in message.items() if key not in ("id", "jsonrpc")}
            x = run.number_of(is_message(message))
            notice = "id" not in message
            for kind, path, new in b.some(run, kinds.changes(body)):
                # what names a request or the client's own is none of what is asked
                if path.startswith(("/params/_meta/progressToken", "/params/requestId")) or "io.modelcontextprotocol~1clientCap" in path:
                    continue
                if path == "/params/_meta" and list(body["params"]["_meta"]) == ["progressToken"]:
                    continue
                if new in [{n: v for n, v in m.items() if n not in ("id", "jsonrpc")} for s in run.steps for m in s.get("mcp", {}).get("send", [])]:
                    continue  # it is another message of this run
                if notice and message["method"] == "notifications/initialized":
                    continue
                full = {**{n: v for n, v in message.items() if n in ("id", "jsonrpc")}, **new}
                send = changed(step["mcp"]["send"], k, full)
                b.add(run, kind, changed(run.steps, i, {**step, "mcp": {"send": send}}), None if notice or "method" not in new
                      or path == "/method" else x,
                      None if notice or path.startswith("/method") else path, ("request_mismatch", "extra_call", "protocol") if notice
                      or path.startswith("/method") else
                      ("request_mismatch",))
        for method, given in step.get("answers", {}).items():
            for kind, path, new in b.some(run, kinds.changes(given)):
                if path.startswith("/result") and "result" in new:
                    b.add(run, kind, changed(run.steps, i, {**step, "answers": {method: new}}),
                          run.number_of(lambda l, g=given: l["lane"] == "mcp" and l["from"] == "client" and l["body"].get("inline",
                                                            {}).get("result") == g["result"]), path)
            b.add(run, "an answer a refusal", changed(run.steps, i, {**step, "answers": {method: {"error": {"code": -1, "message": "no"}}}}),
                  None, "", ("request_mismatch",))


def message_order(b, run):
    calls = [i for i, s in enumerate(run.steps) if "mcp" in s and s["mcp"]["send"][-1].get("method") in ("tools/call", "resources/read")]
    for i in calls:
        x = run.number_of(is_message(run.steps[i]["mcp"]["send"][0]))
        last = i == calls[-1]
        b.add(run, "a request left out", run.steps[:i] + run.steps[i + 1:], x, classes=("unconsumed",) if last else ("missing_call",),
              verdicts=("INCOMPLETE",) if last else ("DIVERGED",))
        twice = copy.deepcopy(run.steps[i])
        for m in twice["mcp"]["send"]:
            m["id"] = f"again{m['id']}"
        b.add(run, "a request made twice", run.steps[:i + 1] + [twice] + run.steps[i + 1:], None, classes=("extra_call", "request_mismatch"))
    for i, k in zip(calls, calls[1:]):
        swapped = copy.copy(run.steps)
        swapped[i], swapped[k] = run.steps[k], run.steps[i]
        b.add(run, "two requests exchanged", swapped, None, classes=("order",))


def cancellation(b, run):
    """The one that is given up is given up by neither, or by another."""
    i = next(i for i, s in enumerate(run.steps) if "mcp" in s and len(s["mcp"]["send"]) == 2 and "id" in s["mcp"]["send"][0])
    wait, cancel = run.steps[i]["mcp"]["send"]
    more = {**cancel, "params": {**cancel["params"], "reason": "not needed"}}
    b.add(run, "another reason to give up", changed(run.steps, i, {"mcp": {"send": [wait, more]}}), None, None, ("extra_call", "request_mismatch",
                                                            "protocol"))
    twice = changed(run.steps, i, {"mcp": {"send": [wait, cancel, cancel]}})
    b.add(run, "given up twice", twice, None, None, ("extra_call", "protocol"))
    slow = next(k for k, s in enumerate(run.steps) if "mcp" in s and s["mcp"]["send"][0].get("params", {}).get("name") == "add")
    own = run.steps[slow]["mcp"]["send"]
    other = {**cancel, "params": {**cancel["params"], "requestId": own[0]["id"]}}
    b.add(run, "another is given up", changed(run.steps, slow, {"mcp": {"send": [*own, other]}}), None, None, ("extra_call", "protocol", "order"))
    b.add(run, "none is given up", changed(run.steps, i, {"mcp": {"send": [wait]}}), None, None, ("timeout", "missing_call", "unconsumed"),
          ("DIVERGED", "INCOMPLETE"), options=["--timeout", "2"])


# ---- commands ----


def is_command(argv):
    return lambda line: line["lane"] == "shell" and line["req"]["argv"] == argv


def shell(b, run):
    for i, step in enumerate(run.steps):
        if "run" not in step:
            continue
        given, x = step["run"], run.number_of(is_command(step["run"]["argv"]))
        for k, word in enumerate(given["argv"]):
            for kind, new in kinds.texts(word):
                if k == 0:
                    continue
                b.add(run, f"of an argument: {kind}", changed(run.steps, i, {"run": {**given, "argv": changed(given["argv"], k, new)}}), x,
                      f"/argv/{k}")
        for kind, path, more in (("an argument more", "/argv", {"argv": [*given["argv"], "-x"]}), ("the directory", "target", {"cwd": "elsewhere"}),
                                 ("the input", "/stdin_sha256", {"stdin": given.get("stdin", "") + "x"}),
                                 ("a variable", "/env", {"env": {**given.get("env", {}), "TZ": "Asia/Tokyo"}})):
            b.add(run, kind, changed(run.steps, i, {"run": {**given, **more}}), x, path)
        b.add(run, "another program", changed(run.steps, i, {"run": {**given, "argv": ["python3", *given["argv"][1:]]}}), x)
        inside = run.number_of(is_command(["sed", "s,.*/,,"])) if "sed" in given["argv"][-1] else x
        b.add(run, "a command left out", run.steps[:i] + run.steps[i + 1:], inside, classes=("missing_call",))
        b.add(run, "a command run twice", run.steps[:i + 1] + run.steps[i:], None, classes=("extra_call",))
    made = [i for i, s in enumerate(run.steps) if "run" in s]
    for i, k in zip(made, made[1:]):
        swapped = copy.copy(run.steps)
        swapped[i], swapped[k] = run.steps[k], run.steps[i]
        b.add(run, "two commands exchanged", swapped, None, classes=("order",))


# ---- the tape ----


def sealed(raw, digest_of=None):
    """A body with these bytes, and the digest of them or of others."""
    return json.dumps({"sha256": hashlib.sha256(digest_of or raw).hexdigest(), "size": len(raw), "enc": "utf8", "inline": raw.decode()}).encode()


def body_at(text, begin):
    """Where the body behind this place of a line is, and its bytes."""
    start = text.index(b'"body":', begin) + 7
    body, n = json.JSONDecoder().raw_decode(text[start:].decode())
    end = start + len(text[start:].decode()[:n].encode())
    if body.get("inline") is None:
        return start, end, b""
    inline = text.index(b'"inline":', start) + 9
    return start, end, text[inline:end - 1] if body["enc"] == "json" else body["inline"].encode()


def tape(suite, run):
    """Every result on the tape is another one: with its old digest the tape is damaged, else the agent does otherwise."""
    with open(os.path.join(run.where, "cassette.jsonl"), "rb") as f:
        lines = f.read().splitlines(True)
    bad, total = [], 0

    def judge(what, i, line, verdicts, status):
        where = suite.directory("tape")
        shutil.copy(os.path.join(run.where, "stdout"), where)
        suite.write(where, "cassette.jsonl", b"".join([*lines[:i], line, *lines[i + 1:]]))
        got = suite.replay(where, suite.plan(run.steps), ["--timeout", "20"])
        if got.verdict not in verdicts or got.status != status:
            bad.append((f"{what} in line {i + 1}", str(got)))

    for i, text in enumerate(lines[1:-1], 1):
        line = json.loads(text)
        is_model = line["lane"] == "model"
        if is_model or line.get("from") == "server":
            start, end, raw = body_at(text, text.index(b'"resp":') if is_model else 0)
            letters = [at for at, c in enumerate(raw) if chr(c).isalpha() and chr(c).islower() and raw[at - 1:at] != b"\\"]
            at = letters[len(letters) // 2]
            other = raw[:at] + (b"b" if raw[at:at + 1] == b"a" else b"a") + raw[at + 1:]
            judge("a result with its old digest", i, text[:start] + sealed(other, raw) + text[end:], (None,), 3)
            judge("a result", i, text[:start] + sealed(other) + text[end:], ("DIVERGED", "INCOMPLETE"), 1)
            total += 2
        if is_model:
            judge("a status", i, text.replace(b'"resp":{"status":200', b'"resp":{"status":418'), ("DIVERGED",), 1)
            total += 1
        if line["lane"] == "shell" and line["parent"] is None:
            for what, more in (("what a command said", {"io": [["o", "otherwise\n", 1]]}), ("how a command ended",
                                                            {"exit": line["resp"]["exit"] + 1})):
                judge(what, i, json.dumps({**line, "resp": {**line["resp"], **more}}).encode() + b"\n", ("DIVERGED",), 1)
                total += 1
        if line["lane"] != "mcp" and not line.get("parent"):
            judge("a line gone", i, b"", ("DIVERGED", "INCOMPLETE"), 1)
            total += 1
    suite.check(f"a tape of {run.lane} that was changed is damaged, or the agent diverges", bad, total)


# ---- what means the same ----


def controls(b, run):
    """Members in another order and other escapes are no change; who asks, and tools in another order, are told."""
    for i, k, ask in asks(run.steps):
        if "body" not in ask:
            continue
        turned = json.dumps(dict(reversed(ask["body"].items())), ensure_ascii=False, indent=1).replace(": 1,", ": 1.0,")
        b.add(run, "the same in other bytes", with_ask(run.steps, i, k, {key: v for key, v in {**ask, "raw": turned}.items() if key != "body"}),
              None, None, (), ("EXACT",))
        for name in sorted(kinds.IGNORED):
            b.add(run, "who asks", with_ask(run.steps, i, k, {**ask, "body": {**ask["body"], name: "somebody"}}),
                  run.number_of(is_exchange(ask)), f"/{name}", ("volatile_substitution",), ("EQUIVALENT",), first=False)
        if "user_id" in ask["body"].get("metadata", {}):
            metadata = {**ask["body"]["metadata"], "user_id": "somebody"}
            b.add(run, "who asks", with_ask(run.steps, i, k, {**ask, "body": {**ask["body"], "metadata": metadata}}),
                  run.number_of(is_exchange(ask)), "/metadata/user_id", ("volatile_substitution",), ("EQUIVALENT",), first=False)
        if len(ask["body"].get("tools", [])) > 1:
            body = {**ask["body"], "tools": ask["body"]["tools"][::-1]}
            b.add(run, "tools in another order", with_ask(run.steps, i, k, {**ask, "body": body}), run.number_of(is_exchange(ask)), None,
                  ("tool_order",), ("EQUIVALENT",), first=False)


def run(suite):
    b = Battery(suite)
    models = [Run(suite, "model", plans.conversation()), Run(suite, "other APIs", plans.vendors()), Run(suite, "sub-agents", plans.crowd())]
    new = Run(suite, "new values", plans.volatile())
    suite.same("what is not changed", suite.replay(new.where, suite.plan(new.steps)), ("EQUIVALENT",))
    sessions, bare = Run(suite, "mcp", plans.servers(suite.program)), Run(suite, "mcp stateless", plans.stateless(suite.program))
    tools = Run(suite, "shell", plans.commands(), ["--shell"])
    late = Run(suite, "late input", plans.piped(), ["--shell"])
    for text in ("some input\n", "another"):
        steps = [late.steps[0], {"run": {"argv": ["cat"], "piped": text}}, late.steps[2]]
        got = suite.replay(late.where, suite.plan(steps))
        suite.same("input that is not known", got, ("EQUIVALENT",))
        suite.one("and it is said that it is not", any("not compared" in d["sentence"] for d in got.of("protocol")), str(got))
    for r in (*models, sessions, bare, tools):
        suite.same(f"what is not changed of {r.lane}", suite.replay(r.where, suite.plan(r.steps)))
    for r in models:
        bodies(b, r)
        heads(b, r)
        exchange_results(b, r)
        order(b, r)
        ends(b, r)
        controls(b, r)
    groups(b, models[2])
    values(b, new)
    for r in (sessions, bare):
        messages(b, r)
        message_order(b, r)
        ends(b, r)
    cancellation(b, sessions)
    shell(b, tools)
    ends(b, tools)
    b.play()
    for r in (*models, sessions, tools) if os.environ.get("ALL") else (models[0], sessions, tools):
        tape(suite, r)
