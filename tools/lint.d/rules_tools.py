"""Checks that other programs do for us. Without the program the rule is skipped, and says so."""

import re
import shutil
import subprocess

from tree import Finding


class Skipped(Exception):
    """The rule could not run; the text says why."""


def run(tree, program, arguments):
    if not shutil.which(program):
        raise Skipped(f"{program} is not installed (tools/setup lint)")
    done = subprocess.run([program] + arguments, cwd=tree.root, capture_output=True, text=True, errors="replace")
    return done.stdout + done.stderr


def shellcheck(tree):
    """shell scripts pass shellcheck"""
    scripts = list(tree.scripts())
    if not scripts:
        return
    cases = [s for s in scripts if not tree.text(s).startswith("#!")]
    others = [s for s in scripts if s not in cases]
    out = run(tree, "shellcheck", ["--format=gcc"] + others) if others else ""
    if cases:
        out += run(tree, "shellcheck", ["--format=gcc", "--shell=sh"] + cases)
    for m in re.finditer(r"^(.+?):(\d+):\d+: \w+: (.+) \[(SC\d+)\]$", out, re.MULTILINE):
        yield Finding(m.group(1), int(m.group(2)), f"{m.group(3)} ({m.group(4)})", m.group(4))


# Not ours to mind: it does not see that fatal_exit does not return, and gcc and clang both define
# what a shift of a negative number is.
NOISE = "missingInclude unmatchedSuppression nullPointerRedundantCheck shiftTooManyBitsSigned"


def cppcheck(tree):
    """C passes cppcheck"""
    sources = tree.match("src/*/*.c")
    if not sources:
        return
    out = run(
        tree,
        "cppcheck",
        "--quiet --std=c11 --language=c --enable=warning,portability --inline-suppr -j2 -Isrc -Iinclude -D_GNU_SOURCE"
        " --max-configs=4 --template={file}:{line}:{id}:{message}".split()
        + ["--suppress=" + word for word in NOISE.split()]
        + sources,
    )
    for m in re.finditer(r"^([^:\n]+):(\d+):(\w+):(.+)$", out, re.MULTILINE):
        yield Finding(m.group(1), int(m.group(2)), f"{m.group(4)} ({m.group(3)})", m.group(3))


def generated(tree):
    """generated tables are what their generator writes"""
    table, generator = "src/base/num_pow10.c", "tools/gen-pow10"
    if not tree.match(table) or not tree.match(generator):
        return
    done = subprocess.run(["python3", generator, "--check", table], cwd=tree.root, capture_output=True, text=True)
    if done.returncode != 0:
        yield Finding(table, 1, f"not what {generator} writes; run it again", "num_pow10")


RULES = [shellcheck, cppcheck, generated]
