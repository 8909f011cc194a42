"""What every set of every suite needs: the program, a place for files, a count of checks; and how a suite runs."""

import hashlib
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import traceback

# A lone event cannot satisfy these: they are about its neighbours.
FILE_RULES = {f"AT{n}" for n in range(100, 117)}
CLEAN_EXITS = (0, 1, 3)
SHOWN = 6  # failures of one check


class Suite:
    def __init__(self, program, shared):
        self.program = os.path.abspath(program)
        self.shared = os.path.abspath(shared)
        self.passed = self.failed = self.skipped = 0
        self.temporary = tempfile.TemporaryDirectory(prefix="trackway-conformance-")
        self.place = self.temporary.name
        self.made = 0
        # Nothing of the caller's may change the form of the answer.
        self.environment = {k: v for k, v in os.environ.items() if not k.startswith(("GITHUB_", "TRACKWAY"))}
        self.environment.update(NO_COLOR="1", LC_ALL="C.UTF-8", HOME=self.place)
        # A sanitizer's own exit status is 1, which would pass for a verdict.
        for name in ("ASAN_OPTIONS", "UBSAN_OPTIONS", "LSAN_OPTIONS"):
            self.environment[name] = "exitcode=99:halt_on_error=1"

    def __enter__(self):
        return self

    def __exit__(self, *_):
        """An agent may leave a process that writes into its home for a moment after it ended."""
        for _ in range(50):
            try:
                self.temporary.cleanup()
                return
            except Exception:  # whatever it is: the checks are made, and this is no part of them
                time.sleep(0.2)
        print(f"      {self.place} is left: a process still writes into it")

    # ---- the count ----

    def check(self, title, bad, total):
        """One check over many cases: bad is a list of (case, what was wrong)."""
        if not bad:
            self.passed += 1
            print(f"ok    {title} ({total})")
            return
        self.failed += 1
        print(f"FAIL  {title}: {len(bad)} of {total}")
        for case, what in bad[:SHOWN]:
            print(f"        {case}: {printable(str(what))}")
        if len(bad) > SHOWN:
            print(f"        ... and {len(bad) - SHOWN} more")

    def note(self, text):
        print(f"      {text}")

    def skip(self, title, why):
        self.skipped += 1
        print(f"skip  {title}: {why}")

    def data(self, title, path):
        """The path of shared data, or None after having said so."""
        full = os.path.join(self.shared, "data", path)
        if os.path.exists(full):
            return full
        self.skip(title, f"data/{path} is not there")
        return None

    # ---- files ----

    def directory(self, name):
        self.made += 1
        path = os.path.join(self.place, f"{self.made:03d}-{name}")
        os.mkdir(path)
        return path

    def write(self, directory, name, content):
        path = os.path.join(directory, name)
        with open(path, "wb") as f:
            f.write(content if isinstance(content, bytes) else content.encode())
        return path

    # ---- the program ----

    def run(self, arguments, timeout=60, cwd=None):
        """(status, stdout, stderr, seconds); status is None when it did not end."""
        timeout *= SLOWER
        start = time.monotonic()
        try:
            done = subprocess.run(
                [self.program] + arguments,
                cwd=cwd or self.place,
                env=self.environment,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                timeout=timeout,
            )
        except subprocess.TimeoutExpired:
            return None, b"", b"", time.monotonic() - start
        return done.returncode, done.stdout, done.stderr, time.monotonic() - start

    def validate(self, paths, options=(), cwd=None):
        """path -> its entry of the JSON document, over all paths in one go. Raises on a broken answer."""
        status, out, err, _ = self.run(["validate", "--json", "--all", *options, "--", *paths], cwd=cwd)
        if status not in CLEAN_EXITS:
            raise Broken(f"exit {status} with {' '.join(options)}: {err[-200:].decode(errors='replace')}")
        try:
            document = json.loads(out)
        except ValueError as e:
            raise Broken(f"the answer is not JSON with {' '.join(options)}: {e}") from e
        files = {f["path"]: f for f in document["files"]}
        agree(document, files, status)
        return files

    def guilty(self, paths, options=()):
        """The (path, reason) that make a call break, or last longer than a second per megabyte and file."""
        status, out, _, seconds = self.run(["validate", "--json", *options, "--", *paths])
        clean = status in CLEAN_EXITS and out.startswith(b'{"schema":"trackway.validate/1"') and out.endswith(b"}\n")
        if clean and seconds <= min(allowance(p) for p in paths):
            return []
        if len(paths) == 1:
            return [(paths[0], f"exit {status} after {seconds:.2f} s")]
        half = len(paths) // 2
        return self.guilty(paths[:half], options) + self.guilty(paths[half:], options)


def printable(text):
    """What a program said may have zero bytes and other codes, and a log that has them is no text to those who read it."""
    return "".join(c if c.isprintable() or c in "\n\t" else f"\\x{ord(c):02x}" for c in text)


class Broken(Exception):
    """The program gave no usable answer."""


def main(sets, make=Suite, only_when_named=()):
    """
    Runs the sets that the command line names, or all, and adds up; ends the process. sets maps a name to a function
    of the suite; make(program, shared) makes that.
    """
    names = sys.argv[1:]
    unknown = [n for n in names if n not in sets]
    if unknown:
        print(f"no set is called {unknown[0]}; there are: {' '.join(sets)}")
        sys.exit(2)
    for stream in (sys.stdout, sys.stderr):  # data may hold what no encoding can say: that must not end a suite
        stream.reconfigure(errors="backslashreplace")
    # Whoever is started in the background ignores these, and so would every program that a suite starts.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    for ignored in (signal.SIGQUIT, signal.SIGHUP):
        signal.signal(ignored, signal.SIG_DFL)
    suite = make(there(os.environ.get("TRACKWAY", "build/trackway")), os.environ.get("TRACKWAY_SHARED", "../shared"))
    try:
        with suite:
            if hasattr(suite, "seed"):
                print(f"seed {suite.seed}")
            for name, run in sets.items():
                if name in names or (not names and name not in only_when_named):
                    run_set(suite, name, run)
    except BaseException as e:  # whatever ends it early is a failure that the closing line counts
        suite.check("the suite runs to its end", [("it", f"{e!r}\n{traceback.format_exc()}")], 1)
    # One write of its own, so that a thread's or a child's words on the same pipe do not stand inside it.
    sys.stderr.flush()
    sys.stdout.flush()
    print(f"{suite.passed} passed, {suite.failed} failed, {suite.skipped} skipped", flush=True)
    sys.exit(1 if suite.failed or not suite.passed + suite.skipped else 0)


def run_set(suite, name, run):
    print(f"== {name}", flush=True)
    start = time.monotonic()
    try:
        run(suite)
    except (Broken, json.JSONDecodeError) as e:
        suite.check(f"{name} gives usable answers", [(name, str(e))], 1)
    except (Exception, SystemExit) as e:  # the other sets still run, and the closing line counts this one
        suite.check(f"{name} runs to its end", [(name, f"{e!r}\n{traceback.format_exc()}")], 1)
    suite.note(f"{time.monotonic() - start:.1f} s")


def there(program):
    """The program; without it the suite has failed."""
    if not os.access(program, os.X_OK):
        print(f"{program} is not there: make it first")
        print("0 passed, 1 failed, 0 skipped")
        sys.exit(1)
    return program


def packages(suite, name, wanted, commands):
    """
    A directory with the packages that the text `wanted` names, or None after having said why not. commands(where) are
    what installs them there. They are kept below TRACKWAY_PACKAGES (B/packages), where a change of the text has another
    name: the next run finds them. Installing may take TRACKWAY_PACKAGES_SECONDS (300).
    """
    base = os.path.abspath(os.environ.get("TRACKWAY_PACKAGES") or os.path.join(os.environ.get("B", "build"), "packages"))
    digest = hashlib.sha256(f"{wanted}{sys.version}".encode()).hexdigest()[:16]
    kept = os.path.join(base, f"{name}-{digest}")
    if os.path.isdir(kept):
        os.utime(kept)  # so that what nobody needs any more shows
        return kept
    os.makedirs(base, exist_ok=True)
    new = tempfile.mkdtemp(prefix=f"{name}.", dir=base)
    why = install(commands(new), new)
    if why:
        shutil.rmtree(new, ignore_errors=True)
        suite.skip(f"packages of {name}", f"they cannot be installed: {why}")
        return None
    try:
        os.rename(new, kept)  # whole or not at all
    except OSError:
        shutil.rmtree(new, ignore_errors=True)  # another run was quicker
    return kept


def install(commands, where):
    """Runs the commands; what went wrong, or None."""
    end = time.monotonic() + float(os.environ.get("TRACKWAY_PACKAGES_SECONDS", "300"))
    for words in commands:
        try:
            done = subprocess.run(words, cwd=where, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                  timeout=max(1.0, end - time.monotonic()))
        except (OSError, subprocess.TimeoutExpired) as e:
            return f"{os.path.basename(words[0])}: {e}"
        if done.returncode != 0:
            return f"{os.path.basename(words[0])}: {done.stdout.decode(errors='replace').strip()[-300:]}"
    return None


def python_packages(suite, name, wanted, *options):
    """A Python that has the packages of a requirements file's text, installed with these options of pip, or None."""

    def commands(where):
        suite.write(where, "requirements.txt", wanted)
        pip = [os.path.join(where, "bin", "python3"), "-m", "pip", "install", "--quiet", *options]
        return [[sys.executable, "-m", "venv", where], [*pip, "-r", "requirements.txt"]]

    where = packages(suite, name, wanted, commands)
    return where and os.path.join(where, "bin", "python3")


# As in the unit tests: sanitizers and emulators are granted more time.
SLOWER = float(os.environ.get("TRACKWAY_TEST_SLOWER", "1"))


def allowance(path):
    return SLOWER * max(1.0, os.path.getsize(path) / 1e6)


def agree(document, files, status):
    """The parts of one document must not contradict each other."""
    if document["schema"] != "trackway.validate/1":
        raise Broken(f"schema is {document['schema']}")
    for f in files.values():
        counted = {s: sum(x["severity"] == s for x in f["findings"]) for s in ("error", "warning", "info")}
        if f.get("verdict") is None:
            continue
        if (f["verdict"] == "invalid") != (f["errors"] > 0):
            raise Broken(f"{f['path']}: {f['verdict']} with {f['errors']} errors")
        if (counted["error"], counted["warning"]) != (f["errors"], f["warnings"]):
            raise Broken(f"{f['path']}: lists {counted}, counts {f['errors']} errors, {f['warnings']} warnings")
    for kind in ("errors", "warnings"):
        if document[kind] != sum(f.get(kind) or 0 for f in files.values()):
            raise Broken(f"{kind} of the document are not those of its files")
    if status != 3 and (status == 1) != any(f["verdict"] == "invalid" for f in files.values()):
        raise Broken(f"exit {status} does not fit the verdicts")


def codes(entry, severity=None, line=None):
    return {
        f["code"]
        for f in entry["findings"]
        if (severity is None or f["severity"] == severity) and (line is None or f["line"] == line)
    }


def by_line(entry):
    lines = {}
    for f in entry["findings"]:
        lines.setdefault(f["line"], []).append(f)
    return lines


def rows(path):
    with open(path, encoding="utf-8") as f:
        return [json.loads(line) for line in f if line.strip()]


def files_under(directory, *endings):
    found = []
    for where, _, names in os.walk(directory):
        found += [os.path.join(where, n) for n in names if not endings or n.endswith(endings)]
    return sorted(found)


def jsonl(values, ensure_ascii=False):
    """One compact line each. Lone surrogates of the data become escapes, since bytes cannot hold them."""
    lines = []
    for v in values:
        text = json.dumps(v, ensure_ascii=ensure_ascii, separators=(",", ":"))
        try:
            lines.append(text.encode())
        except UnicodeEncodeError:
            lines.append(json.dumps(v, separators=(",", ":")).encode())
    return b"".join(line + b"\n" for line in lines)
