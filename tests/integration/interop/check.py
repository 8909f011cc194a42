"""Runs the sets of this directory and adds up. Called by run."""

import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[1:1] = [os.path.join(HERE, "..", "validate")]

import crates
import go_programs
import hand
import harness
import witnesses
import world

SETS = {
    "sumdb": go_programs.sumdb,
    "tessera": go_programs.tessera,
    "hand": hand.all_tools,
    "witness": witnesses.two_machines,
    "crate": crates.all_checks,
}


def with_a_world(program, shared):
    suite = harness.Suite(program, shared)
    suite.world = world.World(suite)
    return suite


harness.main(SETS, with_a_world)
