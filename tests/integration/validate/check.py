"""Runs the sets of this directory and adds up. Called by run."""

import os
import sys

import harness
import ids
import json_text
import logs
import naughty
import secrets_set
import streams
import traces
import vendors

SETS = {
    "json": json_text.run,
    "traces": traces.run,
    "ids": ids.run,
    "secrets": secrets_set.run,
    "streams": streams.run,
    "naughty": naughty.run,
    "logs": logs.run,
    "vendors": vendors.run,
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
