"""Runs the sets of this directory and adds up. Called by run."""

import os
import random
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[1:1] = [os.path.join(HERE, "..", "validate")]

import harness
import kills

SETS = {
    "writes": kills.at_each_write,
    "random": kills.at_random,
}


def main(names):
    program = os.environ.get("TRACKWAY", "build/trackway")
    unknown = [n for n in names if n not in SETS]
    if unknown:
        print(f"no set is called {unknown[0]}; there are: {' '.join(SETS)}")
        return 2
    if not os.access(program, os.X_OK):
        print(f"{program} is not there: make it first")
        print("0 passed, 1 failed, 0 skipped")
        return 1
    suite = harness.Suite(program, os.environ.get("TRACKWAY_SHARED", "../shared"))
    suite.seed = int(os.environ.get("SEED", "1"))
    suite.random = random.Random(suite.seed)
    print(f"seed {suite.seed}")
    with suite.temporary:
        for name, run in SETS.items():
            if names and name not in names:
                continue
            print(f"== {name}", flush=True)
            start = time.monotonic()
            try:
                run(suite)
            except harness.Broken as e:
                suite.check(f"{name} gives usable answers", [(name, str(e))], 1)
            suite.note(f"{time.monotonic() - start:.1f} s")
    print(f"{suite.passed} passed, {suite.failed} failed, {suite.skipped} skipped")
    return 1 if suite.failed else 0


sys.exit(main(sys.argv[1:]))
