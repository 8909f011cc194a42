"""Raw HTTP/1.1 messages through the recorder, whole and byte by byte: requests and answers that the parsers of others
agree to refuse must not pass, and those they accept must arrive as they are. Where our reader judges otherwise is
listed in tests/data/http1/reviewed.tsv, with reasons; what is so only for a proxy, in http1.tsv.

Most requests have no Host, which HTTP/1.1 refuses: so that this does not hide every other rule, they are sent
again with one put in."""

import os
import re
import socket
import threading

import harness
from converting import table
from recording import HERE, ROOT, each
from wire import Hangup, Upstream, answers, ask, connect, cut, receive, whole

WORKERS = 6  # each with a recorder and a server of its own, so that what a server saw belongs to one case
QUIET = 0.25  # seconds without a byte after which nothing more is expected


class Case:
    def __init__(self, row, name, data, expect):
        self.row, self.name, self.bytes, self.expect = row, name, data, expect
        self.scored = row["consensus"] == "agree"
        self.messages = [m for m in row.get("messages") or [] if m.get("complete")]


def cases_of(where):
    path = os.path.join(ROOT, "tests", "data", "http1", "reviewed.tsv")
    reviewed = {name: (ours, hosted) for name, _, _, ours, hosted, _ in table(path, 6)}
    cases = []
    for row in harness.rows(os.path.join(where, "EXPECT.jsonl")):
        name = os.path.basename(row["file"])
        with open(os.path.join(where, "raw", name), "rb") as f:
            data = f.read()
        ours, hosted = reviewed.get(name, (row["expect"], row["expect"]))
        cases.append(Case(row, name, data, ours))
        if name.endswith(".req") and b"\r\nHost:" not in data and b" HTTP/1.1\r\n" in data and hosted != "-":
            cases.append(Case(row, name + "+host", data.replace(b" HTTP/1.1\r\n", b" HTTP/1.1\r\nHost: a.example\r\n"), hosted))
    return cases


def hosts_of(cases):
    """The Hosts of the corpus, as options: which of them may ask is another test's question."""
    found = {h.decode() for c in cases for h in re.findall(rb"(?im)^host:[ \t]*([a-z0-9.-]+(?::[0-9]{1,5})?)[ \t]*\r$", c.bytes)}
    return [w for name in sorted(found) for w in ("--allow-host", name)]


class Pair:
    """A server that says what it saw, and a recorder in front of it."""

    def __init__(self, suite, options):
        self.answer = None  # bytes of the next answer, or None for one of ours
        self.pieces = 1 << 20
        self.upstream = Upstream(self.respond)
        self.held = suite.hold(self.upstream.url, options)
        self.lock = threading.Lock()
        self.over = threading.Event()  # the answer was sent to its last byte and the connection shut

    def respond(self, request):
        if self.answer is None:
            return whole(b"", headers=[("x-upstream", "1")])
        try:
            for piece in cut(self.answer, self.pieces):
                request.conn.sendall(piece)
            request.conn.shutdown(socket.SHUT_RDWR)
        finally:
            self.over.set()
        raise Hangup

    def send(self, case, size):
        """(verdict, requests that arrived, detail) of raw bytes as requests. "trailing": one was served, the rest was dropped."""
        before = len(self.upstream.seen)
        with connect(self.held.urls["bare"], 10) as conn:
            waited = False
            try:
                for piece in cut(case.bytes, size):
                    conn.sendall(piece)
            except OSError:
                pass  # refused before all was sent
            got, closed = receive(conn, QUIET * harness.SLOWER)
            if not got and not closed:
                waited = True
                conn.shutdown(1)  # for writing: no more will come
                got, closed = receive(conn, 1.0 * harness.SLOWER)
        seen = self.upstream.seen[before:]
        found = answers(got, [r.method for r in seen])
        ours = [a for a in found if not a.header("x-upstream")]
        detail = f"answers {[a.status for a in found]}, {len(seen)} seen"
        if waited:
            return ("accept" if seen else "incomplete" if closed or ours else "hangs"), seen, detail
        if ours or not found:
            return "reject", seen, detail
        return ("trailing" if closed and len(seen) == 1 else "accept"), seen, detail

    def fetch(self, case, size):
        """
        (verdict, answer, detail) of raw bytes as an answer. What this one sends behind its answer must have arrived,
        and the connection be seen to have ended, before the next is asked for: else it is taken for the next answer.
        """
        self.answer, self.pieces = case.bytes, size
        self.over.clear()
        got = ask(self.held.urls["openai"], "GET", "/raw", timeout=5 * harness.SLOWER)
        self.over.wait(5 * harness.SLOWER)
        refused = not got.whole or got.status in (0, 502, 504)
        return ("reject" if refused else "accept"), got, f"status {got.status}, {'whole' if got.whole else 'cut'}"

    def close(self):
        done = self.held.finish()
        self.held.__exit__()
        self.upstream.__exit__()
        return done


def as_it_was(case, seen):
    """What a server got of an accepted request, held against what was sent."""
    want = [(m["method"], m["body_len"]) for m in case.messages]
    got = [(r.method, len(r.body)) for r in seen]
    if case.messages and got != want:
        return f"the server got {got} and not {want}"
    for message, request in zip(case.messages, seen):
        path = message["url"].partition("#")[0]
        if path.startswith("/") and not request.target.partition("#")[0].endswith(path):
            return f"the server was asked for {request.target[:60]} and not {path[:60]}"
    return None


def judge_request(pair, case, size):
    verdict, seen, detail = pair.send(case, size)
    if verdict == "trailing" and case.expect == "accept":
        verdict = "accept"  # it had asked for that
    if verdict == "accept" and "accept" in (case.expect, case.row["expect"]):
        wrong = as_it_was(case, seen)
        return ("altered", wrong) if wrong else None
    if verdict == case.expect or ({verdict, case.expect} == {"incomplete", "reject"} and not seen):
        return None
    return {"accept": "false-accept", "reject": "false-reject", "incomplete": "false-reject"}.get(verdict, verdict), detail


def judge_answer(pair, case, size):
    verdict, got, detail = pair.fetch(case, size)
    if case.expect == "accept" and verdict == "accept":
        sizes = [m["body_len"] for m in case.messages]
        if sizes and len(got.body) not in sizes:
            return "altered", f"{len(got.body)} bytes of body and not {sizes}"
    wanted = "accept" if case.expect == "accept" else "reject"
    if verdict == wanted:
        return None
    if verdict == "accept":
        body = case.bytes.partition(b"\r\n\r\n")[2]
        return ("trailing" if len(got.body) < len(body) else "false-accept"), detail
    return "false-reject", detail


def judge_all(pairs, judge, cases, size):
    """{case: (kind, detail)} of what was not as expected."""

    def work(number):
        pair, found = pairs[number], []
        for case in cases[number::WORKERS]:
            wrong = judge(pair, case, size or len(case.bytes) or 1)
            if wrong:
                found.append((case, *wrong))
        return found

    return [f for found in each(work, range(WORKERS), WORKERS) for f in found]


def report(suite, title, cases, wrong, allowed):
    scored = [w for w in wrong if w[0].scored]
    known = [w for w in scored if (w[0].name, w[1]) in allowed]
    left = [w for w in scored if w not in known]
    refusals = sum(c.expect != "accept" and c.scored for c in cases)
    passes = ("false-accept", "trailing")
    bad = [(c.name, f"{kind}: {d}") for c, kind, d in left if kind in passes]
    suite.check(f"{title}: nothing passes that must not", bad, refusals)
    bad = [(c.name, f"{kind}: {d}") for c, kind, d in left if kind not in passes]
    suite.check(f"{title}: what must pass does, as it is", bad, sum(c.scored for c in cases) - refusals)
    others = [w for w in wrong if not w[0].scored]
    suite.note(f"{len(known)} reviewed in http1.tsv; contested: {len(others)} of {sum(not c.scored for c in cases)} decided otherwise")
    if os.environ.get("LIST"):
        for c, kind, detail in others + known:
            suite.note(f"{c.name} {kind}: {detail} {c.row['tags']}")
    risky = {"te+cl", "multiple-cl", "bare-cr"}
    bad = [(c.name, d) for c, kind, d in others if kind == "false-accept" and risky & set(c.row["tags"])]
    suite.check(f"{title}: contested framing that smuggles is refused too", bad, len(cases))


def run(suite):
    where = suite.data("http1", os.path.join("corpora", "05-http1", "dev"))
    if not where:
        return
    cases = cases_of(where)
    allowed = {(name, kind) for name, kind, _ in table(os.path.join(HERE, "http1.tsv"), 3)}
    pairs = [Pair(suite, hosts_of(cases)) for _ in range(WORKERS)]
    used = set()
    for ending, judge, what in ((".req", judge_request, "requests"), (".resp", judge_answer, "answers")):
        mine = [c for c in cases if c.name.removesuffix("+host").endswith(ending)]
        for size, how in ((0, "whole"), (1, "byte by byte")):
            wrong = judge_all(pairs, judge, mine, size)
            used |= {(c.name, kind) for c, kind, _ in wrong}
            report(suite, f"{what} {how}", mine, wrong, allowed)
        for pair in pairs:
            pair.answer = None
    ended = [pair.close() for pair in pairs]
    bad = [(d.where, f"ended with {d.status}: {d.err[-200:]}") for d in ended if d.status != 0]
    suite.check("the recorder is none the worse for it", bad, len(ended))
    suite.check("every row of http1.tsv is needed", [(n, f"{k} did not happen") for n, k in sorted(allowed - used)], len(allowed))
