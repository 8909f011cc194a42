"""What must be tested, and is it?"""

import os
import re

from tree import Finding

OPTION = re.compile(r'\{\s*OPT_[A-Z]+\s*,[^,]*,\s*"([\w-]+)"')
COMMAND = re.compile(r"\bconst struct command \w+ = \{(.*?)^\};", re.DOTALL | re.MULTILINE)


def unit_tests(tree):
    """every module with public functions has a unit test"""
    for path in tree.match("src/*/*.c"):
        if path in ("src/cmd/main.c", "src/cmd/shim.c") or all(f.is_static for f in tree.source(path).functions):
            continue
        room, *directory, module = path[len("src/") : -len(".c")].split("/")
        place = "/".join(["tests/unit", room, *directory])
        # A file of a directory may share the directory's test: otutl/emit.c that of otutl.
        names = grown_from(module) | grown_from("_".join(directory + [module]))
        tests = {f"{where}/test_{n}.c" for n in names for where in (place, f"tests/unit/{room}")}
        if not any(tree.has(t) for t in tests):
            yield Finding(path, 0, f"has no unit test; write {place}/test_{module}.c")


def grown_from(module):
    """The names of a test: a file that grew out of another, num_write.c out of num.c, may share its."""
    return {module} | {module[: m.start()] for m in re.finditer("_", module)}


def commands(tree):
    """every command has examples in its manual and a test of each option"""
    for path in tree.match("src/cmd/*.c"):
        text = tree.text(path)
        for m in COMMAND.finditer(text):
            name = re.search(r'\.name = "([^"]+)"', m.group(1))
            if not name or ".hidden = true" in m.group(1):
                continue
            yield from check_command(tree, path, name.group(1), m.group(1), OPTION.findall(text))


def check_command(tree, path, name, constant, options):
    if ".examples" not in constant:
        yield Finding(path, 0, f"command {name} has no examples; add .examples for its manual page", name)
    directory = "tests/cli/" + name.replace(" ", "-")
    scripts = tree.match(directory + "/*.sh")
    if not scripts:
        yield Finding(path, 0, f"command {name} has no test; write {directory}/<case>.sh", name)
        return
    told = "".join(tree.text(s) for s in scripts)
    for option in options:
        if not re.search(rf"--(no-)?{re.escape(option)}(?![\w-])", told):
            yield Finding(path, 0, f"no test of {directory} uses --{option}; write one", f"--{option}")


def fuzz_corpora(tree):
    """every fuzz target has a corpus, every corpus a target"""
    targets = {os.path.basename(p)[len("fuzz_") : -len(".c")] for p in tree.match("tests/fuzz/fuzz_*.c")}
    corpora = {p.split("/")[3] for p in tree.match("tests/fuzz/corpus/*/*")}
    for name in sorted(targets - corpora):
        yield Finding(f"tests/fuzz/fuzz_{name}.c", 0, f"has no corpus; put a few inputs in tests/fuzz/corpus/{name}/")
    for name in sorted(corpora - targets):
        yield Finding(f"tests/fuzz/corpus/{name}", 0, f"has no target; write tests/fuzz/fuzz_{name}.c or remove it")


def command_tests(tree):
    """every expected output belongs to a case"""
    for path in tree.match("tests/cli/*/*.out", "tests/cli/*/*.err", "tests/cli/*/*.exit"):
        stem = path.rsplit(".", 1)[0]
        if not tree.has(stem + ".sh"):
            yield Finding(path, 0, f"belongs to no case; write {stem}.sh or remove it")


RULES = [unit_tests, commands, command_tests, fuzz_corpora]
