"""Runs the sets of this directory and adds up. Called by run."""

import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[1:1] = [os.path.join(HERE, "..", "validate")]

import answers
import collector
import harness
import phoenix
from exporting import Exporting

SETS = {"answers": answers.run, "collector": collector.run, "speed": collector.speed, "phoenix": phoenix.run}

harness.main(SETS, Exporting, only_when_named=("collector", "speed", "phoenix"))
