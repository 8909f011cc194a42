"""A ledger of more than 300 entries, made by the program's own commands; and how to run programs."""

import json
import os
import subprocess

import harness

TRIALS = 310
ORIGIN = "interop.example.org/trials"


def trial(number, experiment="e-1", completeness="complete"):
    return {
        "trial_id": f"t-{number:04d}",
        "experiment_id": experiment,
        "dataset_id": "bridges@1.2",
        "timestamp": "2026-03-13T10:00:00Z",
        "task": {"task_id": "civil/beam", "task_revision": "sha256:aa"},
        "agent": {"adapter": "loop", "model": f"m-{number % 3}", "adapter_revision": "r1", "configuration": {}},
        "environment": {"runtime_image": "image:1", "compute_backend": "local", "tool_versions": {"bash": "5.2"}},
        "inputs": {
            "instruction": "Check the beam.",
            "system_prompt": None,
            "input_files": [{"path": "in/beam.json", "hash": "sha256:cc", "source": None}],
        },
        "outputs": {
            "agent_output": {
                "status": "failed" if number % 7 == 0 else "completed",
                "output_path": "out/beam.md",
                "output_format": "markdown",
                "error_message": "no answer" if number % 7 == 0 else None,
            },
            "raw_output_path": None,
            "conversation_path": None,
            "trajectory_path": None,
            "agent_result": None,
        },
        "evaluation": {
            "reward": (number % 5) / 4,
            "validity": {"output_parseable": True, "schema_valid": True, "verifier_completed": True, "errors": []},
        },
        "timing": {"total_seconds": 12.5},
        "completeness": completeness,
    }


class World:
    def __init__(self, suite):
        self.suite = suite
        self.place = suite.directory("interop")
        self.ledger = os.path.join(self.place, "ledger")
        self.old = os.path.join(self.place, "old-checkpoint")
        suite.environment["TRACKWAY_KEYS"] = os.path.join(self.place, "keys")
        self.vkey = self.must("ledger", "init", "--origin", ORIGIN, "--ledger", self.ledger).strip()
        self.vkey_file = suite.write(self.place, "vkey", self.vkey + "\n")
        self.add([trial(n, f"e-{n % 4}") for n in range(60)] + [trial(9000, "e-0", "partial")])
        with open(os.path.join(self.ledger, "checkpoint"), "rb") as f, open(self.old, "wb") as g:
            g.write(f.read())
        self.add([trial(n, f"e-{n % 4}") for n in range(60, TRIALS - 1)])
        for n in (3, 200):
            self.must("ledger", "review", f"t-{n:04d}", "--judgment", "pass", "--notes", "seen", "--reviewer", "ana",
                      "--ledger", self.ledger)
        self.seal_runs()
        self.must("ledger", "supersede", "e-0/t-0004", "e-0/t-0008", "--reason", "run again", "--ledger", self.ledger)
        self.must("ledger", "erase", "e-1/t-0005", "--reason", "asked for", "--force", "--ledger", self.ledger)

    def seal_runs(self):
        """A recorded run, a benchmark, a trial with the file that it names, and a review signed by its reviewer."""
        place = self.suite.directory("runs")
        recorded, benches = os.path.join(place, "recorded"), os.path.join(place, "benches")
        self.must("record", "-q", "-o", recorded, "--content", "--", "true")
        self.must("bench", "run", "builtin:sanity", "--target", "mock:echo", "--out", benches, "--run-id", "b-1", "-q")
        named = trial(TRIALS - 1, f"e-{(TRIALS - 1) % 4}")
        named["outputs"]["raw_output_path"] = "raw.txt"
        self.suite.write(place, "raw.txt", "the answer\n")
        record = self.suite.write(place, "named.json", json.dumps(named))
        self.must("ledger", "add", recorded, benches, record, "--require-files", "--ledger", self.ledger)
        keys = self.suite.environment["TRACKWAY_KEYS"]
        own = os.path.join(place, "own")
        self.suite.environment["TRACKWAY_KEYS"] = own
        self.must("ledger", "review", "--make-key", "ana.example.org")
        key = os.path.join(own, next(n for n in os.listdir(own) if n.endswith(".key")))
        self.review = os.path.join(place, "review.json")
        self.must("ledger", "review", f"t-{TRIALS - 1:04d}", "--judgment", "fail", "--reviewer", "ana", "--notes", "\u00b5 is missing",
                  "--sign-with", key, "-o", self.review, "--ledger", self.ledger)
        self.suite.environment["TRACKWAY_KEYS"] = keys
        self.must("ledger", "add", self.review, "--ledger", self.ledger)

    def add(self, records):
        lines = "".join(json.dumps(r) + "\n" for r in records)
        path = self.suite.write(self.place, "records.jsonl", lines)
        self.must("ledger", "add", path, "--ledger", self.ledger)

    def must(self, *arguments):
        """The standard output of the program, which has to succeed."""
        status, out, err, _ = self.suite.run(list(arguments))
        if status != 0:
            raise harness.Broken(f"{' '.join(arguments)}: exit {status}: {err[-300:].decode(errors='replace')}")
        return out.decode()

    def prove(self, name):
        """The paths of a proof and its entry."""
        prefix = os.path.join(self.suite.directory("proof"), "p")
        self.must("ledger", "prove", name, "-o", prefix, "--ledger", self.ledger)
        return prefix + ".tlog-proof", prefix + ".entry"


def call(arguments, cwd=None, env=None, given=b"", seconds=120):
    """(status, output and errors together)."""
    try:
        done = subprocess.run(
            arguments, cwd=cwd, env=env, input=given, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=seconds
        )
    except subprocess.TimeoutExpired:
        return None, "it did not end"
    return done.returncode, done.stdout.decode(errors="replace")


def expect(suite, title, arguments, want=0, contains="", **more):
    """One check: the program ends as it should, and says so."""
    status, text = call(arguments, **more)
    bad = []
    if (status == 0) != (want == 0) or contains not in text:
        bad.append((" ".join(arguments)[-80:], f"exit {status}: {text.strip()[-300:]}"))
    suite.check(title, bad, 1)
    return text
