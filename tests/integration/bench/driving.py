"""The driver: cases as JSON lines in, verdicts as JSON lines out."""

import json
import os
import random
import subprocess

import harness


class Driving(harness.Suite):
    def __init__(self, drive):
        super().__init__(drive, "../shared")
        self.seed = int(os.environ.get("SEED", "1"))
        self.cases = int(os.environ.get("CASES", "5000"))

    def random(self, name):
        return random.Random(f"{self.seed} {name}")

    def drive(self, cases, timeout=120):
        """The answer to each case."""
        given = "".join(json.dumps(c, ensure_ascii=False) + "\n" for c in cases).encode("utf-8", "surrogatepass")
        try:
            done = subprocess.run([self.program], input=given, env=self.environment, capture_output=True,
                                  timeout=timeout * harness.SLOWER)
        except subprocess.TimeoutExpired:
            raise harness.Broken("the driver did not end") from None
        answers = [json.loads(line) for line in done.stdout.split(b"\n") if line]
        if done.returncode or len(answers) != len(cases):
            raise harness.Broken(f"the driver ended with {done.returncode} after {len(answers)} of {len(cases)} cases: "
                                 f"{done.stderr[-400:].decode(errors='replace')}")
        return answers

    def compare(self, title, cases, wanted, view=lambda a: a):
        bad = []
        for case, want, got in zip(cases, wanted, self.drive(cases)):
            if view(got) != want:
                bad.append((json.dumps(case)[:300], f"\n          want {json.dumps(want)[:300]}"
                                                    f"\n          got  {json.dumps(view(got))[:300]}"))
        self.check(title, bad, len(cases))
