"""Runs the sets of this directory and adds up. Called by run."""

import os
import sys

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


def driving(program, _):
    lacking = server.lacking()
    if lacking:
        print(f"skipped: {lacking}")
        print("0 passed, 0 failed, 1 skipped")
        sys.exit(0)
    drive = os.environ.get("DRIVE", os.path.join(os.path.dirname(program), "integration/postgres/drive"))
    return Driving(program, harness.there(drive))


harness.main(SETS, driving, only_when_named=("figures",))
