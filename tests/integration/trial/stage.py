"""Where trials are tried: a ledger, a mock model, and tasks that are made as they are asked for."""

import json
import os
import shutil
import subprocess
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
SCRIPT = {
    "schema": "trackway.mock/1",
    "rules": [
        {"match": {"contains": "rate_limit"}, "reply": {"text": "-"}, "fault": {"status": 429}},
        {"match": {"contains": "provider_down"}, "reply": {"text": "-"}, "fault": {"status": 503}},
        {"match": {"contains": "stall"}, "reply": {"text": "-"}, "fault": {"stall_ms": 60000}},
        {"match": {}, "reply": {"text": "done", "usage": {"input": 10, "output": 2}}},
    ],
}
JUDGE = '[ "$(cat answer 2>/dev/null)" = right ] && r=1.0 || r=0.0\necho "{\\"reward\\": $r}" >&3\n'
VERIFIERS = {
    "private": "mkdir made && touch made/too || exit 1\n" + JUDGE,
    "verifier_crash": "kill -9 $$\n",
    "verifier_silent": "exit 0\n",
    "verifier_sleep": "sleep 60\n",
    "reward_large": 'echo \'{"reward": 1.5}\' >&3\n',
}


def works(level):
    with tempfile.TemporaryDirectory() as d:
        task = os.path.join(d, "task")
        make_task(task, "probe", "done", JUDGE)
        command = [os.environ["TRACKWAY"], "trial", "lock", task, "--agent", "true", "--isolation", level]
        return subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode == 0


def make_task(path, name, instruction, verifier, more=""):
    os.makedirs(os.path.join(path, "tests"))
    os.makedirs(os.path.join(path, "environment"))
    os.makedirs(os.path.join(path, "solution"))
    files = {
        "task.toml": f'id = "t/{name}"\nversion = "1"\n[agent]\ntimeout_sec = {4 if name in ("sleep", "stall") else 30}\n'
                     f"[verifier]\ntimeout_sec = 3\n{more}",
        "instruction.md": instruction + "\n",
        "environment/input.txt": "question\n",
        "solution/solve.sh": "echo right >answer # the secret of the solution\n",
        "tests/secret.txt": "right\n",
        "tests/test.sh": "#!/bin/sh\n" + verifier,
    }
    for file, text in files.items():
        with open(os.path.join(path, file), "w", encoding="utf-8") as f:
            f.write(text)
    os.chmod(os.path.join(path, "tests/test.sh"), 0o755)


class Place:
    def __init__(self, trackway):
        self.trackway = trackway

    def __enter__(self):
        self.dir = tempfile.mkdtemp(prefix="trackway-trials-")
        os.chmod(self.dir, 0o755)
        self.env = {**os.environ, "TRACKWAY_HOME": self.path("home"), "TRACKWAY_KEYS": self.path("keys")}
        for name in ("OPENAI_BASE_URL", "OPENAI_API_KEY"):
            self.env.pop(name, None)
        self.ledger, self.jobs = self.path("ledger"), 0
        self.call("ledger", "init", "--ledger", self.ledger, "--origin", "example.com/trials")
        with open(self.path("mock.json"), "w", encoding="utf-8") as f:
            json.dump(SCRIPT, f)
        command = [self.trackway, "mock", "-q", "--listen", "127.0.0.1:0", "--script", self.path("mock.json")]
        self.mock = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        self.address = self.mock.stdout.readline().strip()
        self.agent = shutil.copy(os.path.join(HERE, "agent.py"), self.path("agent.py"))
        return self

    def __exit__(self, *_):
        self.mock.terminate()
        self.mock.wait()
        self.mock.stdout.close()
        shutil.rmtree(self.dir)

    def path(self, name):
        return os.path.join(self.dir, name)

    def call(self, *args):
        return subprocess.run([self.trackway, *args], env=self.env, check=True, capture_output=True, text=True).stdout

    def task(self, name):
        path = self.path("task-" + name)
        if not os.path.isdir(path):
            make_task(path, name, name, VERIFIERS.get(name, JUDGE))
        return path

    def cheat(self, cheat):
        path = self.path("cheat-" + cheat.name)
        shutil.rmtree(path, ignore_errors=True)  # a cheat may have changed it
        make_task(path, cheat.name, "Answer the question.", cheat.verifier or JUDGE)
        return path

    def command(self, tasks, *more, agent=None, output=None):
        self.jobs += 1
        return [self.trackway, "trial", "run", *tasks, "--agent", agent or f"python3 {self.agent}", "--model", "m",
                "--ledger", self.ledger, "--upstream", f"openai={self.address}", "--json",
                "-o", output or self.path(f"job-{self.jobs}"), *more]

    def answer(self, command, status):
        p = subprocess.run(command, env=self.env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=900)
        if status is not None and p.returncode != status:
            raise SystemExit(f"{command}: exit status {p.returncode}, expected {status}\n{p.stdout}{p.stderr}")
        return json.loads(p.stdout)

    def run(self, tasks, *more, agent=None, output=None, status=0):
        return self.answer(self.command(tasks, *more, agent=agent, output=output), status)

    def resume(self, job):
        return self.answer([self.trackway, "trial", "run", "--resume", self.path(job), "--json", "--jobs", "2"], 3)

    def list(self):
        return json.loads(self.call("ledger", "list", "--ledger", self.ledger, "--json"))["trials"]

    def count(self):
        return len(self.list())

    def record(self, name, answer):
        """The record of the first trial of this task, out of the ledger."""
        id = next(t["trial_id"] for t in answer["trials"] if t["task_id"] == "t/" + name)
        return json.loads(self.call("ledger", "show", id, "--ledger", self.ledger, "--only", "record"))

    def verify(self, expected):
        self.call("ledger", "verify", "--ledger", self.ledger)
        if expected is not None and self.count() < expected:
            raise SystemExit(f"the ledger has {self.count()} trials, expected {expected} at least")

    def processes(self, job):
        """What still runs with the job's directory in its command line or as its own."""
        found, where = [], self.path(job)
        for pid in filter(str.isdigit, os.listdir("/proc")):
            try:
                with open(f"/proc/{pid}/cmdline", "rb") as f:
                    line = f.read().replace(b"\0", b" ").decode(errors="replace")
                if where in line or os.readlink(f"/proc/{pid}/cwd").startswith(where):
                    found.append(line)
            except OSError:
                continue
        return found
