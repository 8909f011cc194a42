"""Records RUNS agents, replays them in one batch with a quarter of them gone wrong, and judges the judge."""

import concurrent.futures
import contextlib
import glob
import http.server
import json
import os
import signal
import subprocess
import sys
import threading
import time
import xml.etree.ElementTree

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[1:1] = [os.path.join(HERE, "batch_agents"), os.path.join(HERE, "..", "validate")]

import harness
import plan
import vendor

AGENT = os.path.join(HERE, "batch_agents", "agent.py")
VENDOR = os.path.join(HERE, "batch_agents", "vendor.py")
FOREIGN = ("OPENAI_", "ANTHROPIC_", "OLLAMA_", "GOOGLE_", "GEMINI_", "CO_")
RUNS = int(os.environ.get("RUNS", "44"))
TIMEOUT = int(10 * harness.SLOWER)


class Batch(harness.Suite):
    def __init__(self, program, shared):
        super().__init__(program, shared)
        kept = {k: v for k, v in self.environment.items() if not k.startswith(FOREIGN) and not k.lower().endswith("_proxy")}
        self.environment = {**kept, "TRACKWAY_HOME": os.path.join(self.place, "home"), "PYTHONDONTWRITEBYTECODE": "1",
                            "TRACKWAY_KEYS": os.path.join(self.place, "keys")}
        self.runs = os.path.join(self.place, "runs")
        os.mkdir(self.runs)

    def call(self, *arguments, more=None, timeout=3600):
        return subprocess.run([self.program, *arguments], cwd=self.place, env={**self.environment, **(more or {})},
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=timeout)

    def one(self, title, condition, why):
        self.check(title, [] if condition else [("it", why)], 1)

    def record(self, url, i, where=None):
        ups = [f"openai={url}/v1", f"anthropic={url}", f"gemini={url}", f"ollama={url}"]
        name = f"r{i:04d}"
        done = self.call("record", "-q", "--content", "--tag", "batch=all", "-o", os.path.join(where or self.runs, name),
                         *(w for u in ups for w in ("--upstream", u)), "--", "python3", AGENT, name, timeout=120)
        return name, done.returncode, done.stderr[-300:]

    def replay(self, *options, where=None, more=None):
        return self.call("replay", "--batch", where or self.runs, f"--timeout={TIMEOUT}", "--strict-params", *options,
                         "--", "python3", AGENT, "{name}", more=more)


def record_all(suite):
    script = suite.write(suite.place, "mock.json", json.dumps(plan.script()))
    mock = subprocess.Popen([suite.program, "mock", "-q", "--script", script], stdout=subprocess.PIPE, text=True,
                            env=suite.environment)
    try:
        url = mock.stdout.readline().strip()
        begun = time.monotonic()
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            ends = list(pool.map(lambda i: suite.record(url, i), range(RUNS)))
        suite.note(f"recorded {RUNS} runs in {time.monotonic() - begun:.0f} s")
    finally:
        mock.terminate()
        mock.wait()
        mock.stdout.close()
    suite.check("every agent is recorded", [(n, f"exit {c}: {e}") for n, c, e in ends if c], RUNS)


def read(done):
    """The document of a batch."""
    try:
        return json.loads(done.stdout)
    except ValueError as e:
        raise SystemExit(f"no document, exit {done.returncode}: {done.stderr[-500:]}") from e


def number(row):
    return int(row["path"][-4:])


def judge(row, planted):
    """What is wrong with a row; None if nothing is."""
    i = number(row)
    kind = plan.plant(i) if planted else None
    if row["end"] != "judged":
        return f"{row['end']}: {row['why']}"
    if kind:
        verdict, classes = plan.PLANTS[kind]
        if row["verdict"] != verdict or row["class"] not in classes:
            return f"{kind}: {row['verdict']} {row['class']} ({row['sentence']}), and not {verdict} {classes}"
        return None
    wanted = "EQUIVALENT" if plan.habit(i) == "ids" else "EXACT"
    if row["verdict"] != wanted:
        return f"{plan.habit(i)}: {row['verdict']}, and not {wanted}: {row['class']} {row['sentence']}"
    return None


def planted(suite):
    """A quarter goes wrong."""
    done = suite.replay("--json", more={"PLANTED": "1"})
    document = read(done)
    rows = document["runs"]
    plants = [r for r in rows if plan.plant(number(r))]
    suite.one("every run was replayed", len(rows) == RUNS == document["found"], f"{len(rows)} of {RUNS}")
    suite.one("a quarter has a planted cause", len(plants) * 4 == RUNS, f"{len(plants)} of {RUNS}")
    bad = [(r["path"][-5:], judge(r, True)) for r in plants if judge(r, True)]
    suite.check("every planted cause is found and called by its name", bad, len(plants))
    clean = [r for r in rows if not plan.plant(number(r))]
    bad = [(r["path"][-5:], judge(r, True)) for r in clean if judge(r, True)]
    suite.check("no run without one fails", bad, len(clean))
    totals = document["totals"]
    suite.one("the share is that of the rows", totals["replayed"] == len(clean) and totals["judged"] == RUNS, totals)
    suite.one("the answer is no", done.returncode == 1, f"exit {done.returncode}")
    suite.one("no run had a network" if not document["with_network"] else "runs without a namespace are counted",
              document["with_network"] in (0, RUNS), document["with_network"])
    tell(suite, document)
    return document


def tell(suite, document):
    """The table of the closing note."""
    suite.note(f"{'vendor and interface':28} runs  coverage  replayed   share  95 % interval")
    for g in [*document["groups"], document["totals"]]:
        low, high = g["interval"] or (float("nan"), float("nan"))
        share = float("nan") if g["share"] is None else g["share"]
        suite.note(f"{g['name']:28} {g['runs']:4}  {g['coverage'] or 0:7.1%}  {g['replayed']:8}  {share:6.1%}  "
                   f"{low:.1%} to {high:.1%}")
    suite.note("failures by class: " + ", ".join(f"{k} {v}" for k, v in document["failures"].items()))
    suite.note(f"replayed in {document['seconds']:.0f} s")


def clean(suite, before):
    """The same runs, nothing planted: all are green, in every form."""
    earlier = suite.write(suite.place, "earlier.json", json.dumps(before))
    page = os.path.join(suite.place, "page.md")
    few = ["--limit", "12"]
    done = suite.replay("--json", "--same-as", earlier, "--max-age", "1d")
    document = read(done)
    bad = [(r["path"][-5:], judge(r, False)) for r in document["runs"] if judge(r, False)]
    suite.check("every run does the same again", bad, len(document["runs"]))
    suite.one("the answer is yes, and the gates hold", done.returncode == 0 and all(g["holds"] for g in document["gates"]),
              (done.returncode, document["gates"]))
    done = suite.replay("--json", "--same-as", earlier, *few)
    gate = next(g for g in read(done)["gates"] if g["name"] == "same_runs")
    suite.one("runs that are missing are named", done.returncode == 1 and len(gate["runs"]) == RUNS - 12, gate)
    done = suite.replay("--report", "junit", *few, more={"PLANTED": "1"})
    root = xml.etree.ElementTree.fromstring(done.stdout)
    suite.one("JUnit has a case for each run, and a failure for each plant",
              (root.get("tests"), root.get("failures"), root.get("errors")) == ("12", "3", "0"), root.attrib)
    done = suite.replay(*few, "--by", "model", more={"PLANTED": "1", "GITHUB_ACTIONS": "true", "GITHUB_STEP_SUMMARY": page})
    with open(page, encoding="utf-8") as f:
        table = f.read()
    marks = [line for line in done.stdout.splitlines() if line.startswith("::error ")]
    suite.one("GitHub has an annotation for each plant and a table", len(marks) == 3 and "| gpt-4o |" in table.replace("\\", ""),
              (marks, table))


def redacted(suite):
    """A cassette that was redacted with a key is exact when what is asked is redacted with it, too."""
    where = suite.directory("redacted")
    bad, total = [], 0
    for i in range(5):
        name = f"r{i:04d}"
        os.mkdir(os.path.join(where, name))
        # the structure stays: what an agent steers by is in it
        done = suite.call("redact", "--keep-structure", "--key", "k", os.path.join(suite.runs, name, "cassette.jsonl"), "-o",
                          os.path.join(where, name, "cassette.jsonl"))
        if done.returncode:
            bad.append((name, done.stderr[-200:]))
    done = suite.replay("--json", where=where)
    rows = read(done)["runs"]
    suite.one("without the key nothing is replayable, and no share is told",
              done.returncode == 3 and all(r["verdict"] == "NOT_REPLAYABLE" for r in rows) and
              read(done)["totals"]["share"] is None, (done.returncode, rows))
    done = suite.replay("--json", "--redact-key", "k", where=where)
    for r in read(done)["runs"]:
        total += 1
        if r["verdict"] != "EXACT":
            bad.append((r["path"][-5:], f"{r['verdict']} {r['class']} {r['sentence']} {r['why']}"))
    suite.check("a redacted cassette is EXACT with its key", bad, total)


def stopped(suite):
    """Ctrl-C: what was done is told, what was not is no divergence."""
    slow = [suite.program, "replay", "--batch", suite.runs, "--json", "--jobs", "2", "--", "sh", "-c",
            'test "$1" = r0000 || sleep 600; exec python3 "$0" "$1"', AGENT, "{name}"]
    # a shell's background jobs ignore SIGINT, and so would this one
    child = subprocess.Popen(slow, cwd=suite.place, env=suite.environment, stdout=subprocess.PIPE, text=True,
                             stderr=subprocess.DEVNULL, preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
    time.sleep(5 * harness.SLOWER)
    child.send_signal(signal.SIGINT)
    try:
        out, _ = child.communicate(timeout=60)
    except subprocess.TimeoutExpired:
        child.terminate()
        out, _ = child.communicate()
    document = json.loads(out)
    totals = document["totals"]
    suite.one("Ctrl-C: exit 130, and what was done is told",
              child.returncode == 130 and document["stopped"] and totals["replayed"] == 1 and
              totals["interrupted"] == RUNS - 1 and not document["failures"], (child.returncode, totals))


def killed(suite):
    """A command that somebody ends says nothing about its run."""
    done = suite.call("replay", "--batch", suite.runs, "--json", "--limit", "2", "--", "sh", "-c", "kill -9 $$")
    document = read(done)
    suite.one("a killed command is no divergence",
              done.returncode == 3 and document["totals"]["could_not_run"] == 2 and not document["failures"],
              (done.returncode, document["totals"]))


@contextlib.contextmanager
def service(path):
    """A server that gives the answers of a log of exchanges, in its order."""
    answers = iter([(x["response"]["status"], *vendor.answer(x)) for x, _ in vendor.exchanges(path)])

    class Handler(http.server.BaseHTTPRequestHandler):
        def log_message(self, *_):
            pass

        def do_POST(self):
            self.rfile.read(int(self.headers["content-length"]))
            status, body, kind = next(answers)
            self.send_response(status)
            self.send_header("content-type", kind)
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


def real(suite):
    """Cassettes of what real vendors answered: logs that hold bodies are served to an agent that sends their requests."""
    logs = suite.data("exchanges of real vendors", "vendors")
    if not logs:
        return
    where, used, bad, files = suite.directory("real"), 0, [], {}
    paths = sorted(glob.glob(os.path.join(logs, "*", "*", "*.exchanges.jsonl")))
    for path in paths:
        if not any(True for _ in vendor.exchanges(path)):
            continue
        with service(path) as url:
            name = f"real{used:02d}"
            ups = [f"openai={url}/v1", f"anthropic={url}", f"gemini={url}"]
            done = suite.call("record", "-q", "--content", "-o", os.path.join(where, name),
                              *(w for u in ups for w in ("--upstream", u)), "--", "python3", VENDOR, path)
        if done.returncode:
            bad.append((os.path.basename(path), done.stderr[-200:]))
        files[name] = path
        used += 1
        os.symlink(path, os.path.join(where, name + ".jsonl"))
    done = suite.call("replay", "--batch", where, "--json", "--", "python3", VENDOR, "{dir}.jsonl")
    rows = read(done)["runs"]
    bad += [(files[os.path.basename(r["path"])], f"{r['end']} {r['verdict']} {r['class']} {r['sentence']} {r['why']}")
            for r in rows if r["verdict"] != "EXACT"]
    suite.check("what real vendors answered is replayed exactly", bad, used)
    suite.note(f"{len(paths)} logs of exchanges, {used} of them with requests to services whose address can be led")


def main():
    shared = os.environ.get("TRACKWAY_SHARED", "../shared")
    with Batch(os.environ.get("TRACKWAY", "build/trackway"), shared) as suite:
        record_all(suite)
        clean(suite, planted(suite))
        redacted(suite)
        real(suite)
        stopped(suite)
        killed(suite)
        print(f"{suite.passed} passed, {suite.failed} failed, {suite.skipped} skipped")
        return 1 if suite.failed else 0


sys.exit(main())
