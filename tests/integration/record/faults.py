"""What goes wrong around the recorder: services, clients, disks, signals. It does not crash, its child is not stuck, and what
was lost is told."""

import json
import os
import resource
import shutil
import signal
import socket
import subprocess
import sys
import time

import harness
from recording import Recorded
from wire import Client, Hangup, ask, chunk, chunked, connect, head, receive, whole

CLOSED = "http://127.0.0.1:9"  # nobody listens to port 9


def answer(text="fine", given=3, made=2):
    message = {"role": "assistant", "content": text}
    value = {"id": "f1", "model": "m", "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
             "usage": {"prompt_tokens": given, "completion_tokens": made, "total_tokens": given + made}}
    return whole(json.dumps(value).encode())


def event(text, finish=None):
    value = {"id": "f2", "model": "m", "choices": [{"index": 0, "delta": {"content": text}, "finish_reason": finish}]}
    return b"data: " + json.dumps(value).encode() + b"\n\n"


def question(text="hello", **more):
    return json.dumps({"model": "m", "messages": [{"role": "user", "content": text}], **more})


def chat(base, text="hello", timeout=20, **more):
    return ask(base, "POST", "/chat/completions", question(text, **more), {"Content-Type": "application/json"}, timeout * harness.SLOWER)


def clean(suite, title, done, status=0):
    """The recorder ended as it should, with a trace that nothing is wrong with."""
    suite.one(f"{title}: the child's exit status comes back", done.status == status, f"{done.status}: {done.err[-300:]}")
    suite.check(f"{title}: the trace is without a finding", [("trace", f) for f in suite.strict(done.where)], 1)
    return done.trace()


# ---- services ----


def dying(suite):
    """The service breaks off inside a stream, in the ways connections have of breaking."""

    def answers(request):
        yield head(headers=[("Content-Type", "text/event-stream"), ("Transfer-Encoding", "chunked")])
        for n in range(3):
            yield chunk(event(f"word {n} "))
            time.sleep(0.01)
        how = json.loads(request.body)["how"]
        if how == "reset":
            request.conn.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
        elif how == "garbage":
            yield b"zzz\r\nnot a chunk"
            time.sleep(0.05)
        raise Hangup

    ways = ("close", "reset", "garbage")
    with suite.upstream(answers) as upstream, suite.hold(upstream.url) as held:
        got = {way: chat(held.urls["openai"], f"die by {way}", stream=True, how=way) for way in ways}
        done = held.finish()
    bad = [(w, f"status {g.status}, {len(g.body)} bytes, whole") for w, g in got.items() if g.whole]
    suite.check("a stream that the service breaks off is cut for the client", bad, len(ways))
    bad = [(w, f"{g.body[:200]!r}") for w, g in got.items() if b"word 2" not in g.body]
    suite.check("what came before reached the client", bad, len(ways))
    calls = [c["model_call"] for c in clean(suite, "a dying service", done).models()]
    told = len(calls) == 3 and all(c.get("partial") and c["stop_reason"] == "error" for c in calls)
    suite.one("the trace has these calls as partial and failed", told, f"{calls}")


def refusing(suite):
    with suite.hold(CLOSED) as held:
        got = chat(held.urls["openai"])
        done = held.finish(4)
    suite.one("a service that is not there is 502 for the client", got.status == 502, f"{got.status}")
    suite.one("with a message that says so", b"refused" in got.body and b"127.0.0.1:9" in got.body, f"{got.body[:300]}")
    calls = clean(suite, "a refusing service", done, 4).models()
    failed = len(calls) == 1 and calls[0]["model_call"]["stop_reason"] == "error"
    suite.one("the trace has the failed call", failed, f"{calls}")


def silent(suite):
    """A service that never answers does not keep the recorder once the child is gone."""
    with suite.upstream(lambda request: time.sleep(60) or b"") as upstream, suite.hold(upstream.url) as held:
        conn = connect(held.urls["bare"])
        body = question().encode()
        conn.sendall(b"POST /openai/v1/chat/completions HTTP/1.1\r\nHost: a\r\nContent-Length: %d\r\n\r\n" % len(body) + body)
        time.sleep(0.1)
        start = time.monotonic()
        done = held.finish()
        took = time.monotonic() - start
        conn.close()
    suite.one("a service that never answers keeps nobody", done.status == 0 and took < 5 * harness.SLOWER, f"{done.status} after {took:.1f} s")
    calls = clean(suite, "a silent service", done).models()
    suite.one("its call is in the trace as partial", len(calls) == 1 and calls[0]["model_call"].get("partial"), f"{calls}")


def large(suite):
    """A long answer passes at the speed of the client, and is not gathered up."""
    size, piece = 64 << 20, b"x" * 65536
    with suite.upstream(lambda request: chunked((piece for _ in range(size // len(piece))), kind="text/plain")) as upstream:
        with suite.hold(upstream.url) as held:
            got = ask(held.urls["openai"], "GET", "/files/large", timeout=60 * harness.SLOWER)
            peak = resident(held.process.pid, "VmHWM")
            done = held.finish()
    suite.one("64 MiB pass", got.whole and len(got.body) == size, f"{len(got.body)} bytes, status {got.status}")
    suite.one("in less than 80 MB of memory", peak < 80e6 * harness.SLOWER, f"{peak / 1e6:.0f} MB")
    clean(suite, "a large answer", done)


def slow(suite):
    """A client that does not read keeps its own answer waiting, in little memory, and nobody else's."""
    size, piece, given = 64 << 20, b"y" * 65536, [0]

    def pieces():
        for _ in range(size // len(piece)):
            yield piece
            given[0] += len(piece)

    answers = lambda request: chunked(pieces(), kind="text/plain") if request.method == "GET" else answer()
    with suite.upstream(answers) as upstream, suite.hold(upstream.url) as held:
        with connect(held.urls["bare"], 60 * harness.SLOWER) as conn:
            conn.sendall(b"GET /openai/v1/files/large HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
            before = -1
            while given[0] != before:
                before = given[0]
                time.sleep(0.3 * harness.SLOWER)
            other = [chat(held.urls["openai"], f"meanwhile {n}").status for n in range(5)]
            peak = resident(held.process.pid, "VmHWM")
            got, _ = receive(conn, 20 * harness.SLOWER)
        done = held.finish()
    suite.one("an answer waits for a client that does not read", 0 < before < size, f"{before} bytes were taken")
    suite.one("and nobody else does", other == [200] * 5, f"{other}")
    suite.one("in less than 80 MB of memory too", peak < 80e6 * harness.SLOWER, f"{peak / 1e6:.0f} MB")
    suite.one("and all of it comes in the end", got.partition(b"\r\n\r\n")[2].count(b"y") == size and got.endswith(b"0\r\n\r\n"), f"{len(got)} bytes")
    clean(suite, "a slow client", done)


def resident(pid, what):
    with open(f"/proc/{pid}/status", encoding="ascii") as f:
        return next(int(line.split()[1]) * 1024 for line in f if line.startswith(what + ":"))


# ---- clients ----


def crowd(suite, title, count, begin):
    """Many connections that do nothing useful; another client is served meanwhile, and the end is not held up."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard != resource.RLIM_INFINITY and hard < 4 * count:
        suite.skip(title, f"only {hard} open files are allowed")
        return
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, min(4 * count + 1024, 1 << 20)) if soft != resource.RLIM_INFINITY else soft, hard))
    with suite.upstream(lambda request: answer()) as upstream, suite.hold(upstream.url) as held:
        conns = [connect(held.urls["bare"]) for _ in range(count)]
        for conn in conns:
            conn.sendall(begin)
        start = time.monotonic()
        got = [chat(held.urls["openai"], f"hello {n}") for n in range(20)]
        took = time.monotonic() - start
        for conn in conns[: count // 2]:
            conn.sendall(b"x")
        again = chat(held.urls["openai"], "once more")
        start = time.monotonic()
        done = held.finish()
        ended = time.monotonic() - start
        for conn in conns:
            conn.close()
    right = all(g.status == 200 for g in [*got, again])
    suite.one(f"{title} do not disturb another client", right and took < 3 * harness.SLOWER, f"{[g.status for g in got]} in {took:.1f} s")
    suite.one(f"{title} do not hold up the end", ended < 5 * harness.SLOWER, f"{ended:.1f} s")
    trace = clean(suite, title, done)
    suite.one(f"{title}: all calls of the other are there", len(trace.models()) == 21, f"{len(trace.models())}")


def half_closed(suite):
    """A client that says it will send no more is still answered."""
    with suite.upstream(lambda request: answer("late")) as upstream, suite.hold(upstream.url) as held:
        with connect(held.urls["bare"], 10) as conn:
            body = question().encode()
            conn.sendall(b"POST /openai/v1/chat/completions HTTP/1.1\r\nHost: a\r\nContent-Length: %d\r\n\r\n" % len(body) + body)
            conn.shutdown(socket.SHUT_WR)
            got, closed = receive(conn, 3 * harness.SLOWER)
        with connect(held.urls["bare"], 10) as conn:
            conn.sendall(b"POST /openai/v1/chat/completions HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\n{")
            conn.shutdown(socket.SHUT_WR)
            torn, torn_closed = receive(conn, 3 * harness.SLOWER)
        done = held.finish()
    suite.one("a half-closed client is answered", b"200" in got[:20] and b"late" in got and closed, f"{got[:200]!r} closed: {closed}")
    suite.one("half a request is not", b" 200 " not in torn and torn_closed, f"{torn[:100]!r} closed: {torn_closed}")
    suite.one("and never reaches the service as a whole one", len(upstream.seen) == 1, f"{len(upstream.seen)}")
    clean(suite, "half-closed clients", done)


# ---- disks ----


def fill(suite, title, where, prefix=(), options=()):
    """More calls than the disk has room for: all are answered, and the loss is told."""
    with suite.upstream(lambda request: answer("x" * 50)) as upstream:
        with suite.hold(upstream.url, options, where=where, prefix=prefix) as held, Client(held.urls["openai"]) as client:
            got = [client.ask("POST", "/chat/completions", question(f"call {n}")) for n in range(300)]
            done = held.finish(5)
    suite.check(f"{title}: every call is answered", [(n, g.status) for n, g in enumerate(got) if g.status != 200], len(got))
    suite.one(f"{title}: the child's exit status comes back", done.status == 5, f"{done.status}: {done.err[-300:]}")
    told = any(w in done.err.lower() for w in ("no space", "too large", "could not write", "cannot write", "lost"))
    suite.one(f"{title}: it is told", told, f"{done.err[-400:]!r}")
    try:
        with open(os.path.join(where, "agent-trace.jsonl"), "rb") as f:
            *lines, torn = f.read().split(b"\n")
        bad = [(n, line[:60]) for n, line in enumerate(lines, 1) if not readable(line)]
        suite.check(f"{title}: what was written is readable", bad, len(lines))
        suite.one(f"{title}: its last line is whole", torn == b"", f"{torn[:60]!r}")
    except OSError as e:
        suite.one(f"{title}: there is a trace", False, str(e))


    named = {n for n in ("cassette.jsonl", "run.otutl.jsonl", "trajectory.jsonl") for line in done.err.split("\n")
             if line.startswith("wrote") and n in line}
    missing = [(n, "is not there") for n in named if not os.path.exists(os.path.join(where, n))]
    suite.check(f"{title}: what it says it wrote is there", missing, len(named))


def readable(line):
    try:
        return isinstance(json.loads(line), dict)
    except ValueError:
        return False


def full_disk(suite):
    for title, options in (("a full disk", []), ("a full disk for content", ["--content"])):
        where = suite.directory("tiny")
        done = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=48k", "none", where], capture_output=True, check=False)
        if done.returncode != 0:
            suite.skip(title, "no tmpfs can be mounted here")
            continue
        try:
            fill(suite, title, os.path.join(where, "out"), options=options)
        finally:
            subprocess.run(["umount", "-l", where], capture_output=True, check=False)


def limited_files(suite):
    if not shutil.which("prlimit"):
        suite.skip("a limit on file sizes", "prlimit is not installed")
        return
    fill(suite, "a limit on file sizes", os.path.join(suite.directory("limited"), "out"), ("prlimit", "--fsize=32768"))


def unwritable(suite):
    """Before the child is started there is still time to say no."""
    place = suite.directory("unwritable")
    done = suite.record(["sh", "-c", "echo ran"], where=os.path.join(suite.write(place, "file", b""), "out"))
    suite.one("a directory that cannot be made is told before the child runs", done.status == 3 and b"ran" not in done.out, f"{done.status}")
    suite.one("with the name of what is in its way", "unwritable/file" in done.err, done.err[-300:])


# ---- the child ----


def child(suite):
    bad = []
    for code in (0, 1, 2, 3, 42, 70, 126, 130, 255):
        done = suite.record(["sh", "-c", f"exit {code}"])
        summary = done.trace().summary
        want = ("success", None) if code == 0 else ("error", f"child exited {code}")
        if done.status != code or (summary["exit_status"], summary["error_message"]) != want:
            bad.append((code, f"{done.status}, {summary['exit_status']}, {summary['error_message']}"))
    suite.check("exit statuses of the child come back and are in the summary", bad, 9)
    bad = []
    for name in ("KILL", "TERM", "SEGV", "USR1", "PIPE"):
        done = suite.record(["sh", "-c", f"kill -{name} $$"])
        number = signal.Signals[f"SIG{name}"].value
        if done.status != 128 + number or done.trace().summary["exit_status"] != "interrupted":
            bad.append((name, f"{done.status}, {done.trace().summary['exit_status']}"))
    suite.check("a child killed by a signal is 128 and its number, and interrupted", bad, 5)
    done = suite.record(["no-such-program-anywhere"])
    suite.one("a program that is not there is told", done.status in (3, 127) and "no-such-program" in done.err, f"{done.status}: {done.err[-200:]}")


def streams_of_the_child(suite):
    done = suite.record(["cat"], stdin=b"from here to there\n" * 1000)
    suite.one("standard input reaches the child", done.out == b"from here to there\n" * 1000, f"{len(done.out)} bytes")
    done = suite.record(["sh", "-c", "echo out; echo err >&2"])
    suite.one("standard output is the child's alone", done.out == b"out\n", f"{done.out!r}")
    suite.one("and its standard error is there", "err\n" in done.err, done.err)
    done = suite.record(["env"], more={"KEPT": "as it was"})
    given = dict(line.split("=", 1) for line in done.out.decode().splitlines() if "=" in line)
    names = ("OPENAI_BASE_URL OPENAI_API_BASE ANTHROPIC_BASE_URL ANTHROPIC_API_URL OLLAMA_HOST GOOGLE_GEMINI_BASE_URL OPENAI_HOST "
             "ANTHROPIC_HOST").split()
    bad = [(n, given.get(n)) for n in names if not (given.get(n) or "").startswith("http://127.0.0.1:")]
    suite.check("every client is told where to go", bad, len(names))
    ids = given.get("TRACEPARENT", "").split("-")
    right = len(ids) == 4 and ids[1] == given.get("TRACKWAY_RUN_ID", "").replace("-", "") and given.get("KEPT") == "as it was"
    suite.one("the run's id is in the environment, and the rest is as it was", right, f"{ids} {given.get('TRACKWAY_RUN_ID')}")


def terminal(suite):
    if not shutil.which("script"):
        suite.skip("a terminal", "script is not installed")
        return
    where = os.path.join(suite.directory("run"), "out")
    inner = "stty size; test -t 0 && test -t 1 && test -t 2 && echo all three; exit 9"
    words = " ".join(suite.arguments(where, None)) + f" sh -c '{inner}'"
    done = subprocess.run(["script", "-qefc", f"stty rows 17 cols 61; {words}", "/dev/null"], cwd=suite.place, env=suite.variables(),
                          stdin=subprocess.DEVNULL, capture_output=True, timeout=30 * harness.SLOWER, check=False)
    suite.one("a terminal stays the child's", b"all three" in done.stdout and b"17 61" in done.stdout, f"{done.stdout[-300:]}")
    suite.one("and the exit status too", done.returncode == 9, f"{done.returncode}")


def signals(suite):
    bad = []
    for name in ("INT", "TERM"):
        for trap, want in ((f"trap 'echo got; exit 7' {name}; ", 7), ("", 128 + signal.Signals[f"SIG{name}"].value)):
            done = interrupted(suite, trap, signal.Signals[f"SIG{name}"])
            if done.status != want or (trap and b"got" not in done.out):
                bad.append((f"{name} {'with' if trap else 'without'} a trap", f"{done.status} and not {want}; {done.out!r} {done.err[-200:]}"))
            elif done.trace().summary is None:
                bad.append((name, "the trace has no summary"))
    suite.check("signals are passed on to the child, whose end counts", bad, 4)


def interrupted(suite, trap, number):
    where = os.path.join(suite.directory("run"), "out")
    # a child that is started with signals ignored would ignore them too
    process = subprocess.Popen(
        [*suite.arguments(where, None), "sh", "-c", trap + "echo ready; n=0; while [ $n -lt 200 ]; do sleep 0.05; n=$((n + 1)); done"],
        cwd=suite.place, env=suite.variables(), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        preexec_fn=lambda: signal.signal(number, signal.SIG_DFL), start_new_session=True,
    )
    process.stdout.readline()
    start = time.monotonic()
    process.send_signal(number)
    try:
        out, err = process.communicate(timeout=8 * harness.SLOWER)
    except subprocess.TimeoutExpired:
        process.kill()
        out, err = process.communicate()
        return Recorded(where, None, out, err, time.monotonic() - start)
    return Recorded(where, process.returncode, out, err, time.monotonic() - start)


def nothing(suite):
    done = suite.record(["true"])
    loud = [line for line in done.err.splitlines() if line.strip()]
    suite.one("captured nothing: it is said", "no model call" in done.err or "nothing" in done.err, done.err)
    suite.one("with the next step to try", "base_url" in done.err.lower() or "OPENAI_BASE_URL" in done.err, "\n".join(loud))
    trace = clean(suite, "captured nothing", done)
    suite.one("captured nothing: the trace is only a summary", not trace.models() and trace.summary, f"{trace.kinds()}")


def closed_streams(suite):
    """Without anywhere to say things the recorder still does its work."""
    where = os.path.join(suite.directory("run"), "out")
    script = '"$@" >&- 2>&- <&-; echo "status $?"'
    with suite.upstream(lambda request: answer()) as upstream:
        code = ("import os, urllib.request; base = os.environ['OPENAI_BASE_URL']; "
                "urllib.request.urlopen(base + '/chat/completions', b'{\"model\":\"m\",\"messages\":[]}').read()")
        words = [*suite.arguments(where, upstream.url), sys.executable, "-c", code]
        done = subprocess.run(["sh", "-c", script, "sh", *words], cwd=suite.place, env=suite.variables(),
                              capture_output=True, timeout=30 * harness.SLOWER, check=False)
    suite.one("closed standard streams are no reason to fail", done.stdout == b"status 0\n", f"{done.stdout!r}")
    suite.check("and the trace is right", [("trace", f) for f in suite.strict(where)], 1)


def services(suite):
    """The scenes that have a service in them: plain or with TLS."""
    dying(suite)
    silent(suite)
    large(suite)
    slow(suite)
    crowd(suite, "1,000 idle connections", 1000, b"")
    crowd(suite, "slow-loris clients", 100, b"POST /openai/v1/chat/completions HTTP/1.1\r\nHost: a\r\nX-Slow: ")
    half_closed(suite)


def run(suite):
    services(suite)
    refusing(suite)
    full_disk(suite)
    limited_files(suite)
    unwritable(suite)
    child(suite)
    streams_of_the_child(suite)
    terminal(suite)
    signals(suite)
    nothing(suite)
    closed_streams(suite)
