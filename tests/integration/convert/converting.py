"""What every set needs: the samples, and each of them converted, once."""

import concurrent.futures
import json
import os
import subprocess
import time

import harness

VENDORS = {
    "anthropic_messages": "anthropic",
    "openai_chat": "openai-chat",
    "openai_responses": "openai-responses",
    "claude_code_session": "claude-code",
    "claude_code_stream_json": "claude-code",
    "codex_rollout": "codex",
    "codex_exec_json": "codex",
    "harbor_atif": "atif",
    "inspect_ai": "inspect",
    "langsmith_runs": "langsmith",
    "cursor_stream_json": "cursor",
    "gemini_cli_session": "gemini-cli",
    "otlp_genai": "otlp-json",
    "gemini_generate_content": "gemini",
    "crewai": "crewai",
    "verifiers": "verifiers",
    "swe_agent": "swe-agent",
    "openhands": "openhands",
    "mcp_jsonrpc": "mcp",
    "autogen": "autogen",
}
HERE = os.path.dirname(os.path.abspath(__file__))


class Sample:
    """One file. out and trace are where it was converted to, or None; said is standard error."""

    def __init__(self, vendor, path, name):
        self.vendor, self.path, self.name = vendor, path, name
        self.out = self.trace = self.status = None
        self.said = ""
        self.coverage = None

    def records(self):
        with open(self.out, encoding="utf-8") as f:
            return [json.loads(line) for line in f]


class Converting(harness.Suite):
    def __init__(self, program, shared):
        super().__init__(program, shared)
        self.pool = concurrent.futures.ThreadPoolExecutor(os.cpu_count() or 1)
        self.loaded = None

    def each(self, function, items):
        """Results in the order of the items, made by as many threads as there are cores."""
        return list(self.pool.map(function, items))

    def call(self, arguments, stdin=None, timeout=60):
        """(status, stdout, stderr as text); status None when it did not end in time."""
        try:
            done = subprocess.run(
                [self.program] + arguments,
                cwd=self.place,
                env=self.environment,
                stdin=stdin or subprocess.DEVNULL,
                capture_output=True,
                timeout=timeout * harness.SLOWER,
                check=False,
            )
        except subprocess.TimeoutExpired:
            return None, b"", "did not end in time"
        return done.returncode, done.stdout, done.stderr.decode(errors="replace")

    # ---- the samples ----

    def vendor_files(self):
        """(vendor, path, name) of every sample; the name is that of EXPECT.jsonl."""
        found = []
        for vendor in VENDORS:
            where = os.path.join(self.shared, "data", "vendors", vendor)
            for part in ("dev", "large_project"):
                base = os.path.join(where, part)
                for path in samples_under(base, where) if os.path.isdir(base) else []:
                    found.append((vendor, path, f"{vendor}/{os.path.relpath(path, os.path.join(where, 'dev'))}"))
        return found

    def stranger_files(self):
        """(path, name) of every sample of a format that is not read."""
        base = os.path.join(self.shared, "data", "vendors")
        return [
            (path, os.path.relpath(path, base))
            for vendor in sorted(os.listdir(base))
            if vendor not in VENDORS
            for part in ("dev", "synthetic")
            if os.path.isdir(os.path.join(base, vendor, part))
            for path in harness.files_under(os.path.join(base, vendor, part))
        ]

    def corpus_files(self):
        base = os.path.join(self.shared, "data", "corpora", "12-trajectories", "dev")
        if not os.path.isdir(base):
            return []
        return [
            ("corpora", path, f"corpora/{os.path.relpath(path, base)}")
            for path in harness.files_under(base)
            if os.path.basename(path) != "EXPECT.jsonl"
        ]

    def samples(self):
        if self.loaded is None:
            where = self.directory("otutl")
            files = self.vendor_files() + self.corpus_files()
            start = time.monotonic()
            self.loaded = self.each(lambda f: self.load(where, *f), enumerate_files(files))
            self.note(f"{len(self.loaded)} files converted twice in {time.monotonic() - start:.1f} s")
        return self.loaded

    def load(self, where, number, vendor, path, name):
        s = Sample(vendor, path, name)
        base = os.path.join(where, f"{number:04d}")
        options = ["-o", base + ".otutl", "--coverage-json", base + ".coverage"]
        s.status, _, s.said = self.call(["convert", path, "--to", "otutl", *options])
        if s.status == 0 and os.path.exists(base + ".otutl"):
            s.out = base + ".otutl"
            with open(base + ".coverage", encoding="utf-8") as f:
                s.coverage = json.load(f)
            s.trace_status, _, s.trace_said = self.call(["convert", path, "--to", "agent-trace", "-o", base + ".trace"])
            s.trace = base + ".trace" if s.trace_status == 0 and os.path.exists(base + ".trace") else None
        return s


def samples_under(base, where):
    """Its files; a directory that EXPECT.jsonl counts as one sample is one."""
    listed = os.path.join(where, "EXPECT.jsonl")
    named = [os.path.join(base, row["file"]) for row in harness.rows(listed)] if os.path.exists(listed) else []
    whole = sorted(path for path in named if os.path.isdir(path))
    single = [p for p in harness.files_under(base) if not any(p.startswith(d + os.sep) for d in whole)]
    return sorted(single + whole)


def to_options(target):
    """Spans need times: a log without any is laid out from one."""
    return ["--to", target] + (["--start", "2026-01-31T12:00:00Z"] if target == "otlp-json" else [])


def enumerate_files(files):
    return [(i, *f) for i, f in enumerate(files)]


def table(name, columns):
    """The rows of a reviewed list beside this file: tab-separated, # begins a comment."""
    path = os.path.join(HERE, name)
    rows = []
    with open(path, encoding="utf-8") as f:
        for line in f:
            if line.strip() and not line.startswith("#"):
                cells = line.rstrip("\n").split("\t")
                if len(cells) != columns:
                    raise harness.Broken(f"{name}: a row has {len(cells)} cells and not {columns}: {line!r}")
                rows.append(cells)
    return rows
