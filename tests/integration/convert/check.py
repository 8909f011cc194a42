"""Runs the sets of this directory and adds up. Called by run."""

import os
import sys

sys.path.insert(1, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "validate"))

import behavior
import coverage_set
import figures
import harness
import logs_set
import otlp_set
import same
import samples
import streams_set
import trips
from converting import Converting

SETS = {
    "samples": samples.run,
    "figures": figures.run,
    "logs": logs_set.run,
    "streams": streams_set.run,
    "same": same.run,
    "behavior": behavior.run,
    "coverage": coverage_set.run,
    "trips": trips.run,
    "otlp": otlp_set.run,
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
    suite = Converting(program, os.environ.get("TRACKWAY_SHARED", "../shared"))
    with suite.temporary:
        for name, run in SETS.items():
            if names and name not in names:
                continue
            print(f"== {name}")
            try:
                run(suite)
            except harness.Broken as e:
                suite.check(f"{name} gives usable answers", [(name, str(e))], 1)
    print(f"{suite.passed} passed, {suite.failed} failed, {suite.skipped} skipped")
    return 1 if suite.failed else 0


sys.exit(main(sys.argv[1:]))
