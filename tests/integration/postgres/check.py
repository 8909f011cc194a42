"""Runs the sets of this directory and adds up. Called by run."""

import os
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[1:1] = [os.path.join(HERE, "..", "validate")]

import commands
import figures
import harness
import hostile
import kills
import refusals
import retries
import roles
import rollback
import same
import settings
import server
from driving import Driving

SETS = {
    "same": same.run,
    "commands": commands.run,
    "refusals": refusals.run,
    "roles": roles.run,
    "hostile": hostile.run,
    "retries": retries.run,
    "kills": kills.run,
    "settings": settings.run,
    "rollback": rollback.run,
    "figures": figures.run,
}
ONLY_WHEN_NAMED = ("figures",)


def stop(text, counts):
    print(text)
    print(counts)
    return 0 if counts.startswith("0 passed, 0") else 1


def main(names):
    unknown = [n for n in names if n not in SETS]
    if unknown:
        print(f"no set is called {unknown[0]}; there are: {' '.join(SETS)}")
        return 2
    program = os.environ.get("TRACKWAY", "build/trackway")
    drive = os.environ.get("DRIVE", os.path.join(os.path.dirname(program), "integration/postgres/drive"))
    lacking = server.lacking()
    if lacking:
        return stop(f"skipped: {lacking}", "0 passed, 0 failed, 1 skipped")
    for path in (program, drive):
        if not os.access(path, os.X_OK):
            return stop(f"{path} is not there: make it first", "0 passed, 1 failed, 0 skipped")
    suite = Driving(program, drive)
    print(f"seed {suite.seed}")
    with suite.temporary, suite:
        for name, run in SETS.items():
            if name not in names and (names or name in ONLY_WHEN_NAMED):
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
