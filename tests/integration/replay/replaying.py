"""What every set needs beside the recorder: a replay and its verdict, and the scripted agent."""

import json
import os
import subprocess
import sys

import harness
from recording import Recording

HERE = os.path.dirname(os.path.abspath(__file__))
PLAYER = os.path.join(HERE, "player.py")


class Replayed:
    """status None: it did not end in time. verdict is None where there is no document."""

    def __init__(self, status, out, err):
        self.status, self.err = status, err.decode(errors="replace")
        try:
            self.document = json.loads(out)
        except ValueError:
            self.document = {}
        self.verdict = self.document.get("verdict")
        self.first = self.document.get("first_divergence") or {}

    def of(self, name):
        """Its divergences of this class."""
        return [d for d in self.document.get("divergences", []) if d["class"] == name]

    def __str__(self):
        keys = ("class", "x", "recorded_seq", "path", "sentence")
        first = {k: self.first.get(k) for k in keys} if self.first else None
        return f"exit {self.status} {self.verdict} {first} {self.err[-300:] if not self.verdict else ''}"


class Replaying(Recording):
    def replay(self, where, command, options=(), more=None, timeout=60, cwd=None):
        words = [self.program, "replay", "--json", *options, where, "--", *command]
        try:
            done = subprocess.run(words, cwd=cwd or self.place, env=self.variables(more), stdin=subprocess.DEVNULL,
                                  capture_output=True, timeout=timeout * harness.SLOWER, check=False)
        except subprocess.TimeoutExpired as e:
            return Replayed(None, e.stdout or b"", e.stderr or b"")
        if b"Sanitizer" in done.stderr:
            raise harness.Broken(f"a sanitizer complains: {done.stderr[-2000:].decode(errors='replace')}")
        return Replayed(done.returncode, done.stdout, done.stderr)

    def same(self, title, replayed, verdicts=("EXACT",)):
        """A check that it is one of these verdicts, with an exit status of 0, and all was cut off."""
        network = replayed.document.get("network", {})
        return self.one(f"{title} is {' or '.join(verdicts)}",
                        replayed.verdict in verdicts and replayed.status == 0 and self.is_cut_off(network),
                        f"{replayed} {network} {replayed.err[-600:]}")

    @staticmethod
    def is_cut_off(network):
        return network.get("isolated") is True or bool(network.get("why_not"))

    def cassette(self, where):
        """Its lines without the first and the last."""
        with open(os.path.join(where, "cassette.jsonl"), encoding="utf-8") as f:
            return [line for line in map(json.loads, f) if "x" in line]

    def plan(self, steps):
        """The command that plays these steps."""
        path = self.write(self.directory("plan"), "plan.json", json.dumps(steps))
        return [sys.executable, "-B", PLAYER, path]


def seqs(where):
    """Number of exchange -> seq of the first event of the run's log that is about it."""
    found = {}
    with open(os.path.join(where, "run.otutl.jsonl"), encoding="utf-8") as f:
        for event in map(json.loads, f):
            ext = event.get("ext", {})
            notes = ext.get("trackway/1", {}).get("notes", [])
            contents = [n["content"] for n in notes if isinstance(n.get("content"), dict)]
            for x in (ext.get("cassette/1", {}).get("exchange", {}).get("x"), *(c.get("x") for c in contents)):
                if x is not None:
                    found.setdefault(x, event["seq"])
    return found
