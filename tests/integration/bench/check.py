"""Runs the sets of this directory and adds up. Called by run."""

import json
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[1:1] = [os.path.join(HERE, "..", "validate")]

import browser
import chrome
import detecting
import faulty
import harness
import hostile
import paired
import patterns
import resuming
import runs
import schemas
import validators
from driving import Driving

SETS = {
    "detect": detecting.run,
    "validators": validators.run,
    "patterns": patterns.run,
    "schemas": schemas.run,
    "hostile": hostile.run,
    "browser": browser.run,
    "runs": runs.run,
    "faults": faulty.run,
    "resume": resuming.run,
    "compare": paired.run,
}


def main(names):
    unknown = [n for n in names if n not in SETS]
    if unknown:
        print(f"no set is called {unknown[0]}; there are: {' '.join(SETS)}")
        return 2
    suite = Driving(os.environ["DRIVE"])
    print(f"seed {suite.seed}")
    with suite.temporary:
        for name, run in SETS.items():
            if names and name not in names:
                continue
            print(f"-- {name}")
            try:
                run(suite)
            except (harness.Broken, chrome.Gone, json.JSONDecodeError) as e:
                suite.check(name, [("it", str(e))], 1)
    print(f"{suite.passed} passed, {suite.failed} failed, {suite.skipped} skipped")
    return 1 if suite.failed or not suite.passed else 0


sys.exit(main(sys.argv[1:]))
