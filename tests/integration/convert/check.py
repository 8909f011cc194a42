"""Runs the sets of this directory and adds up. Called by run."""

import os
import sys

sys.path.insert(1, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "validate"))

import agents_set
import behavior
import coverage_set
import figures
import harness
import logs_set
import otlp_set
import resume_set
import same
import samples
import streams_set
import trips
from converting import Converting

SETS = {
    "samples": samples.run,
    "figures": figures.run,
    "logs": logs_set.run,
    "agents": agents_set.run,
    "streams": streams_set.run,
    "same": same.run,
    "behavior": behavior.run,
    "coverage": coverage_set.run,
    "trips": trips.run,
    "otlp": otlp_set.run,
    "resume": resume_set.run,
}

harness.main(SETS, Converting)
