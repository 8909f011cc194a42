"""Runs the agents of this directory, with the recorder and without, and compares. Called by run."""

import json
import os
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[1:1] = [os.path.join(HERE, "..", "record"), os.path.join(HERE, "..", "validate")]

import harness
import hooked
import tried
from recording import Recorded, Recording
from tee import Tee

FINAL = "FINALWORD all done."
COMMAND = "printf TOOLMARK-%d 42"

# No agent may look for news, report anything or ask another host: all that is told to them here is made up.
QUIET = {
    "CI": "1", "NO_COLOR": "1", "TERM": "dumb", "DO_NOT_TRACK": "1", "LITELLM_LOCAL_MODEL_COST_MAP": "True",
    "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1", "DISABLE_AUTOUPDATER": "1", "DISABLE_TELEMETRY": "1",
    "DISABLE_ERROR_REPORTING": "1", "GEMINI_TELEMETRY_ENABLED": "false", "OPENCODE_DISABLE_AUTOUPDATE": "1",
    "OPENCODE_DISABLE_MODELS_FETCH": "1", "OPENCODE_DISABLE_LSP_DOWNLOAD": "1", "AIDER_ANALYTICS": "false",
    "AIDER_CHECK_UPDATE": "false", "MSWEA_CONFIGURED": "true", "MSWEA_COST_TRACKING": "ignore_errors",
    "OPENAI_API_KEY": "sk-made-up", "ANTHROPIC_API_KEY": "sk-ant-made-up", "GEMINI_API_KEY": "made-up",
    "CODEX_API_KEY": "sk-made-up",
}


def script(tool, argument, more=None, last=None):
    """
    The mock: a call of this tool, and when its result is there the last words, or a last call of it. Titles are asked
    for beside them.
    """
    call = {"name": tool, "arguments": {argument: COMMAND, **(more or {})}} if tool else None
    done = {"reply": {"text": FINAL, "usage": {"input": 1500, "output": 21}}}
    if last:
        done["reply"]["tool_calls"] = [{"name": tool, "arguments": {argument: last}}]
    rules = [
        {"match": {"contains": "title generator"}, "reply": {"text": "A title"}},
        {"match": {"last": "TOOLMARK-42"}, **done},
        {"reply": {"text": "I will run it.", "tool_calls": [call], "usage": {"input": 1300, "output": 33}}} if tool else done,
    ]
    return {"schema": "trackway.mock/1", "rules": rules}


class Agent:
    """
    name, the packages it is of (a directory or a text of packages/), its command, the script of the mock, variables, how
    it is led to the mock without the recorder (variables and arguments), and files in its home that it needs then.
    """

    def __init__(self, name, packages, command, rules, direct=None, variables=None, home=None, options=()):
        self.name, self.packages, self.command, self.rules = name, packages, command, rules
        self.direct = direct or (lambda mock, words: ({}, words))
        self.variables, self.home, self.options = variables or {}, home or {}, options


def by_variables(mock, words):
    return {"OPENAI_BASE_URL": f"{mock}/v1", "OPENAI_API_BASE": f"{mock}/v1", "ANTHROPIC_BASE_URL": mock}, words


def versioned(mock, words):
    return {"OPENAI_BASE_URL": f"{mock}/v1", "ANTHROPIC_BASE_URL": f"{mock}/v1"}, words


def by_override(mock, words):
    return {}, [words[0], "-c", f'openai_base_url="{mock}/v1"', *words[1:]]


def by_address(mock, words):
    return {"GOOGLE_GEMINI_BASE_URL": mock}, words


AUTH = json.dumps({"security": {"auth": {"selectedType": "gemini-api-key"}}})
SHELL = {"description": "say it"}

AGENTS = [
    Agent("claude", "claude", ["claude", "-p", "run it", "--allowedTools", "Bash"], script("Bash", "command", SHELL), by_variables),
    Agent("codex", "codex", ["codex", "exec", "--skip-git-repo-check", "-s", "danger-full-access", "run it"],
          script("exec_command", "cmd"), by_override),
    Agent("gemini", "gemini", ["gemini", "-p", "run it", "--yolo", "--skip-trust", "-m", "gemini-2.5-flash"],
          script("run_shell_command", "command", SHELL), by_address, home={".gemini/settings.json": AUTH}),
    Agent("opencode", "opencode", ["opencode", "run", "-m", "openai/gpt-5", "run it"], script("bash", "command", SHELL), versioned),
    Agent("opencode-anthropic", "opencode", ["opencode", "run", "-m", "anthropic/claude-sonnet-4-5", "run it"],
          script("bash", "command", SHELL), versioned),
    Agent("qwen", "qwen", ["qwen", "-p", "run it", "--yolo", "--auth-type", "openai", "-m", "gpt-5"],
          script("run_shell_command", "command", {"is_background": False, **SHELL}), by_variables),
    Agent("aider", "aider.txt", ["aider", "--message", "hello", "--no-git", "--yes", "--model", "openai/gpt-4o", "--no-stream",
                                 "--no-pretty", "--no-show-model-warnings"], script(None, None), by_variables),
    Agent("mini-swe-agent", "mini-swe-agent.txt", ["mini", "-y", "--exit-immediately", "-t", "run it", "-m", "anthropic/claude-sonnet-4-5"],
          script("bash", "command", last=f"echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT; echo {FINAL}"), by_variables),
    Agent("llm", "llm.txt", ["llm", "-m", "gpt-4o-mini", "--functions", "def say(how): return how % 42", "run it"],
          script("say", "how"), by_variables),
    Agent("pydantic-ai", "pydantic-ai.txt", ["python3", "-B", os.path.join(HERE, "pydantic_agent.py")],
          script("say", "how"), by_variables),
]


# ---- packages ----


def text_of(*path):
    with open(os.path.join(HERE, "packages", *path), encoding="utf-8") as f:
        return f.read()


def place_of(suite, agent):
    """The directory of its programs, or None after having said why not."""
    name = f"agents-{agent.packages.removesuffix('.txt')}"
    if agent.packages.endswith(".txt"):
        program = harness.python_packages(suite, name, text_of(agent.packages), "--no-deps")
        return program and os.path.dirname(program)
    if not shutil.which("node") or not shutil.which("npm"):
        suite.skip(agent.name, "node and npm are not both installed")
        return None

    def commands(where):
        for file in ("package.json", "package-lock.json"):
            shutil.copy(os.path.join(HERE, "packages", agent.packages, file), where)
        # npm leaves out without a word what it counts as optional, such as the program itself for this kind of machine.
        # Its ci of version 11 refuses lists whose optional packages are of other machines; install takes them.
        program = os.path.join(where, "node_modules", ".bin", agent.command[0])
        return [["npm", "install", "--no-save", "--loglevel=error", "--no-audit", "--no-fund"], ["env", f"HOME={where}", program, "--version"]]

    where = harness.packages(suite, name, text_of(agent.packages, "package-lock.json"), commands)
    return where and os.path.join(where, "node_modules", ".bin")


def words_of(agent, programs):
    """Its command. The programs of Python's packages name the directory they were installed in, which was another."""
    first, *rest = agent.command
    if agent.packages.endswith(".txt") and first != "python3":
        return ["python3", os.path.join(programs, first), *rest]
    return agent.command


# ---- one agent ----


class Agents(Recording):
    """Each run has a home and a directory of its own, and the programs of its agent before all others."""

    def surroundings(self, agent, programs, files):
        where = self.directory(agent.name)
        work = os.path.join(where, "work")
        os.makedirs(work)
        for path, text in files.items():
            os.makedirs(os.path.dirname(os.path.join(where, path)), exist_ok=True)
            self.write(where, path, text)
        more = {**QUIET, **agent.variables, "HOME": where, "PATH": f"{programs}:{self.environment['PATH']}"}
        for name in ("XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME", "XDG_STATE_HOME"):
            more[name] = os.path.join(where, name.lower())
        return work, self.variables(more)

    def play(self, agent, programs, words, variables=None, files=None):
        """(status, standard output, standard error) of a command in new surroundings."""
        work, environment = self.surroundings(agent, programs, files or {})
        try:
            done = subprocess.run(words, cwd=work, env={**environment, **(variables or {})}, stdin=subprocess.DEVNULL,
                                  capture_output=True, timeout=180 * harness.SLOWER, check=False)
        except subprocess.TimeoutExpired as e:
            raise harness.Broken(f"{agent.name} did not end: {(e.stdout or b'')[-300:]}") from e
        shown = done.stdout.replace(environment["HOME"].encode(), b"~")  # another one each time
        return done.returncode, shown, done.stderr.decode(errors="replace")

    def alone(self, agent, programs, rules):
        with self.mock(rules) as mock:
            more, words = agent.direct(mock.url, words_of(agent, programs))
            return self.play(agent, programs, words, more, agent.home)

    def recorded(self, agent, programs, rules):
        where = os.path.join(self.directory("run"), "out")
        with self.mock(rules) as mock, Tee(mock.url) as tee:
            words = [*self.arguments(where, tee.url, agent.options), *words_of(agent, programs)]
            status, out, err = self.play(agent, programs, words)
        return Recorded(where, status, out, err.encode(), 0), tee


def judge(suite, agent, alone, recorded, tee):
    name = agent.name
    status, out, err = alone
    if not suite.one(f"{name} works without the recorder", status == 0 and FINAL.encode() in out, f"{status}: {out[-200:]} {err[-300:]}"):
        return
    same = recorded.status == status and recorded.out == out
    suite.one(f"{name} prints the same through the recorder", same, f"{recorded.status}: {recorded.out[-200:]} and not {out[-200:]}")
    trace = recorded.trace()
    got = (len(trace.of("model_call")), len(trace.of("tool_call")))
    suite.one(f"{name}: calls are those of the tee", got == (tee.calls, len(tee.tools)) and tee.calls > 0,
              f"{got} of models and tools, and not {(tee.calls, len(tee.tools))}; {tee.seen}; {recorded.err[-300:]}")
    suite.note(f"{tee.calls} model calls, {len(tee.tools)} tool calls")
    suite.check(f"{name}: its trace is without a finding", [(name, f) for f in suite.strict(recorded.where)], 1)
    status, out, _, _ = suite.run(["validate", "--strict", "--secrets", os.path.join(recorded.where, "agent-trace.jsonl")])
    suite.one(f"{name}: its trace has no secret", status == 0, out[-300:])
    told = recorded.err.splitlines()[:1]
    suite.one(f"{name}: a line tells how it is led", told and (" is led by " in told[0] or "intercept" in told[0]) or
              name == "pydantic-ai", f"{told}")


def one(agent):
    def run(suite):
        programs = place_of(suite, agent)
        if not programs:
            return
        rules = suite.write(suite.directory("script"), "mock.json", json.dumps(agent.rules).encode())
        alone = suite.alone(agent, programs, rules)
        recorded, tee = suite.recorded(agent, programs, rules)
        judge(suite, agent, alone, recorded, tee)

    return run


def with_hooks(scene):
    """Claude Code once more, with more tools."""

    def run(suite):
        programs = place_of(suite, AGENTS[0])
        if programs:
            scene(suite, AGENTS[0], programs)

    return run


def tried_claude(suite):
    agent = AGENTS[0]
    programs = place_of(suite, agent)
    if programs:
        tried.run(suite, agent, programs, 'claude -p "$TRACKWAY_INSTRUCTION" --allowedTools Bash', "Bash", SHELL)


def tried_mini(suite):
    agent = next(a for a in AGENTS if a.name == "mini-swe-agent")
    programs = place_of(suite, agent)
    if programs:
        last = "echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT; echo done"
        command = f'{programs}/python3 {programs}/mini -y --exit-immediately -t "$TRACKWAY_INSTRUCTION" -m anthropic/claude-sonnet-4-5'
        tried.run(suite, agent, programs, command, "bash", last=last)


if __name__ == "__main__":
    sets = {a.name: one(a) for a in AGENTS}
    scenes = {"hooks": hooked.run, "hooks-twice": hooked.run_twice, "hooks-otlp": hooked.run_otlp, "hooks-shell": hooked.run_shell,
              "hooks-listen": hooked.run_listen, "hooks-asked": hooked.run_asked}
    sets.update({name: with_hooks(scene) for name, scene in scenes.items()})
    sets.update({"tried-claude": tried_claude, "tried-mini-swe-agent": tried_mini})
    harness.main(sets, Agents)
