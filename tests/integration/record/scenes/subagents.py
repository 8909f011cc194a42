"""Sub-agents: by headers, by what they are told first; and what only looks like one."""

from kit import Gemini, Messages, Responses, Talk, scene, together

TASK = "Find all the places where the file is opened"
LONG = "Find all the places in the program where a file is opened and is not closed again afterwards"


def boss(t, api=Talk, tools=("ask_helper",), say="please look after the files", **more):
    t.user("u1")
    return api("you are the boss", tools=tools, **more)


@scene("an agent as a tool: the first message is an argument, over each API and streamed")
def as_tool(t):
    for n, (api, stream) in enumerate(((Talk, False), (Talk, True), (Messages, False), (Messages, True), (Responses, False), (Gemini, False))):
        task = f"{TASK} in part {n}"
        t.user(f"u{n}")
        t.model(f"m{n}", f"u{n}")
        call = f"helper{n}"
        talk = api("you are the boss", tools=(call,))
        talk.ask(f"m{n}", f"please look after the files of part {n}", calls=[(call, call, {"input": task, "n": 1})], stream=stream)
        t.model(f"s{n}", call, inferred=True)
        api("you are a helper", tools=("read",)).ask(f"s{n}", task)
        t.tool(call, f"m{n}")
        t.model(f"e{n}", call)
        talk.result(call, "found", call).ask(f"e{n}")


@scene("a sub-agent with tools of its own, and no people in it")
def with_tools(t):
    talk = boss(t)
    t.model("m1", "u1")
    talk.ask("m1", "please look after the files", calls=[("t1", "ask_helper", {"task": TASK})])
    helper = Talk("you are a helper", tools=("read",))
    t.model("s1", "t1", inferred=True)
    helper.ask("s1", TASK, calls=[("t2", "read", {"path": "a"})])
    t.tool("t2", "s1")
    t.model("s2", "t2")
    helper.result("t2", "content").ask("s2")
    t.model("s3", "s2")
    helper.ask("s3", "Now write the report, as short as you can.")
    t.tool("t1", "m1")
    t.model("m2", "t1")
    talk.result("t1", "found").ask("m2")


@scene("a longer message that holds the argument")
def within(t):
    talk = boss(t)
    t.model("m1", "u1")
    talk.ask("m1", "please look after the files", calls=[("t1", "ask_helper", {"task": LONG, "additional": {}})])
    t.model("s1", "t1", inferred=True)
    Talk("you are a helper").ask("s1", f"You're a helpful agent named 'helper'.\n\nTask:\n{LONG}\n\nYou're helping your manager.")
    t.tool("t1", "m1")
    t.model("m2", "t1")
    talk.result("t1", "found").ask("m2")


@scene("three at once, each in its own call")
def three(t):
    talk = boss(t)
    ids = ["t1", "t2", "t3"]
    t.model("m1", "u1")
    talk.ask("m1", "please look after the files", calls=[(i, "ask_helper", {"task": f"{TASK} of {i}"}) for i in ids])
    t.fan("b", "m1", siblings=ids)
    for i in ids:
        t.model("s" + i, i, inferred=True)
        t.tool(i, "b")
    together(*[lambda i=i: Talk("you are a helper").ask("s" + i, f"{TASK} of {i}", delay=0.3) for i in reversed(ids)])
    t.model("m2", *ids)
    for i in ids:
        talk.result(i, "found")
    talk.ask("m2")


@scene("two equal ones at once are taken in order, and are no twins")
def equal(t):
    talk = boss(t)
    t.model("m1", "u1")
    talk.ask("m1", "please look twice", calls=[("t1", "ask_helper", {"task": TASK}), ("t2", "ask_helper", {"task": TASK})])
    t.fan("b", "m1", siblings=["t1", "t2"])
    t.tool("t1", "b")
    t.tool("t2", "b")
    t.model("s1", "t1", inferred=True)
    t.model("s2", "t2", inferred=True)
    one, two = Talk("you are a helper"), Talk("you are a helper")
    together(lambda: one.ask("s1", TASK, delay=0.8), lambda: __import__("time").sleep(0.3) or two.ask("s2", TASK, delay=0.8))
    t.model("m2", "t1", "t2")
    talk.result("t1", "a").result("t2", "b").ask("m2")


@scene("two equal ones, one after the other")
def equal_later(t):
    talk = boss(t)
    t.model("m1", "u1")
    talk.ask("m1", "please look twice", calls=[("t1", "ask_helper", {"task": TASK})])
    t.model("s1", "t1", inferred=True)
    Talk("you are a helper").ask("s1", TASK)
    t.tool("t1", "m1")
    t.model("m2", "t1")
    talk.result("t1", "a").ask("m2", calls=[("t2", "ask_helper", {"task": TASK})])
    t.model("s2", "t2", inferred=True)
    Talk("you are a helper").ask("s2", TASK)
    t.tool("t2", "m2")
    t.model("m3", "t2")
    talk.result("t2", "b").ask("m3")


@scene("a sub-agent of a sub-agent that is told the same")
def deep(t):
    talk = boss(t)
    t.model("m1", "u1")
    talk.ask("m1", "please look after the files", calls=[("t1", "ask_manager", {"task": TASK})])
    manager = Talk("you are a manager", tools=("ask_helper",))
    t.model("s1", "t1", inferred=True)
    manager.ask("s1", TASK, calls=[("t2", "ask_helper", {"task": TASK})])
    t.model("s2", "t2", inferred=True)
    Talk("you are a helper", tools=("read",)).ask("s2", TASK)
    t.tool("t2", "s1")
    t.model("s3", "t2")
    manager.result("t2", "found").ask("s3")
    t.tool("t1", "m1")
    t.model("m2", "t1")
    talk.result("t1", "found").ask("m2")


@scene("a sub-agent that is told what the person said, under another prompt")
def passed_on(t):
    talk = boss(t)
    t.model("m1", "u1")
    talk.ask("m1", TASK, calls=[("t1", "ask_helper", {"task": TASK})])
    t.model("s1", "t1", inferred=True)
    Talk("you are a helper", tools=("read",)).ask("s1", TASK)
    t.tool("t1", "m1")
    t.model("m2", "t1")
    talk.result("t1", "found").ask("m2")


@scene("a retry inside a sub-agent")
def retried(t):
    talk = boss(t)
    t.model("m1", "u1")
    talk.ask("m1", "please look twice", calls=[("t1", "ask_helper", {"task": TASK}), ("t2", "ask_helper", {"task": TASK})])
    t.fan("b", "m1", siblings=["t1", "t2"])
    helper = Talk("you are a helper")
    t.model("s1", "t1", inferred=True)
    helper.ask("s1", TASK, status=500)
    t.retry("r", "s1")
    t.model("s2", "r")
    helper.ask("s2")
    t.model("s3", "t2", inferred=True)
    Talk("you are a helper").ask("s3", TASK)
    t.tool("t1", "b")
    t.tool("t2", "b")
    t.model("m2", "t1", "t2")
    talk.result("t1", "a").result("t2", "b").ask("m2")


@scene("two calls that fit equally well: none is taken", must_not=True)
def ambiguous(t):
    talk = boss(t)
    t.model("m1", "u1")
    talk.ask("m1", "please look after the files", calls=[("t1", "ask_helper", {"task": TASK}), ("t2", "ask_other", {"task": TASK})])
    t.fan("b", "m1", siblings=["t1", "t2"])
    t.user("u2")
    t.model("s1", "u2")
    Talk("you are a helper").ask("s1", TASK)
    t.tool("t1", "b")
    t.tool("t2", "b")
    t.model("m2", "t1", "t2")
    talk.result("t1", "a").result("t2", "b").ask("m2")


@scene("a short argument that happens to equal a prompt", must_not=True)
def short(t):
    talk = boss(t)
    t.model("m1", "u1")
    talk.ask("m1", "please look after the files", calls=[("t1", "ask_helper", {"task": "hello there"})])
    t.user("u2")
    t.model("s1", "u2")
    Talk("another program").ask("s1", "hello there")
    t.tool("t1", "m1")
    t.model("m2", "t1")
    talk.result("t1", "found").ask("m2")


@scene("an argument of less than 40 characters inside a longer message", must_not=True)
def short_within(t):
    talk = boss(t)
    t.model("m1", "u1")
    talk.ask("m1", "please look after the files", calls=[("t1", "read", {"path": "src/capture/recorder.c"})])
    t.user("u2")
    t.model("s1", "u2")
    Talk("another program").ask("s1", "explain to me what src/capture/recorder.c is there for")
    t.tool("t1", "m1")
    t.model("m2", "t1")
    talk.result("t1", "found").ask("m2")


@scene("a call that was answered is nobody's place to begin", must_not=True)
def answered(t):
    talk = boss(t)
    t.model("m1", "u1")
    talk.ask("m1", "please look after the files", calls=[("t1", "ask_helper", {"task": TASK})])
    t.tool("t1", "m1")
    t.model("m2", "t1")
    talk.result("t1", "found").ask("m2")
    t.user("u2")
    t.model("s1", "u2")
    Talk("another program").ask("s1", TASK)


@scene("a person says it again under the same prompt: an evaluation, no sub-agent", must_not=True)
def said_again(t):
    for n in range(3):  # the last call of each run is never answered
        t.user(f"u{n}")
        t.model(f"m{n}", f"u{n}")
        t.tool(f"t{n}", f"m{n}", partial=True)
        Talk("you search", tools=("search",)).ask(f"m{n}", TASK, calls=[(f"t{n}", "search", {"query": TASK})])


@scene("smolagents' final_answer begins nothing, even when a judge is told it", must_not=True)
def judged(t):
    t.user("u1")
    t.model("m1", "u1")
    t.tool("t1", "m1", partial=True)
    Talk("smol", tools=("final_answer",), tool_choice="required").ask(
        "m1", "where are files opened?", calls=[("t1", "final_answer", {"answer": LONG})])
    t.user("u2")
    t.model("m2", "u2")
    Talk("you are a judge", tools=()).ask("m2", f"Is this answer right?\n\n{LONG}")


@scene("a typed plan and the steps made of it: an answer, no call", must_not=True)
def planned(t):
    t.user("u1")
    t.model("m1", "u1")
    Talk("plan", tools=("plan",), tool_choice={"type": "function", "function": {"name": "plan"}}).ask(
        "m1", "make a plan for me", calls=[("t1", "plan", {"steps": [TASK, LONG]})])
    for n, step in enumerate((TASK, LONG)):
        t.user(f"v{n}")
        t.model(f"s{n}", f"v{n}")
        Talk("do it").ask(f"s{n}", step)


@scene("another program beside it", must_not=True)
def beside(t):
    talk = boss(t)
    t.model("m1", "u1")
    talk.ask("m1", "please look after the files", calls=[("t1", "ask_helper", {"task": TASK})])
    t.user("u2")
    t.model("m2", "u2")
    Talk("you write titles", tools=()).ask("m2", "write a title for: please look after the files")
    t.tool("t1", "m1")
    t.model("m3", "t1")
    talk.result("t1", "found").ask("m3")


# ---- headers ----

CLAUDE = {"x-claude-code-session-id": "0198f1d2-0000-7000-8000-00000000000a"}


@scene("Claude Code: two sub-agents by headers, the later one first")
def claude(t):
    main = Messages("main", tools=("Agent", "Bash"), headers=CLAUDE)
    t.user("u1")
    t.model("m1", "u1")
    main.ask("m1", "please start two of them", stream=True,
             calls=[("t1", "Agent", {"prompt": "SUBONE do it"}), ("t2", "Agent", {"prompt": "SUBTWO do it"})])
    t.fan("b", "m1", siblings=["t1", "t2"])
    helpers = {c: Messages("helper", tools=("Bash",), headers={**CLAUDE, "x-claude-code-agent-id": a}) for c, a in (("t2", "a2"), ("t1", "a1"))}
    for n, (c, prompt) in enumerate((("t2", "SUBTWO do it"), ("t1", "SUBONE do it"))):
        t.model(f"s{n}", c)
        helpers[c].messages = [{"role": "user", "content": [{"type": "text", "text": "<system-reminder>\nbe kind\n</system-reminder>"},
                                                           {"type": "text", "text": prompt}]}]
        helpers[c].ask(f"s{n}", calls=[(f"x{n}", "Bash", {})])
        t.tool(f"x{n}", f"s{n}")
        t.model(f"e{n}", f"x{n}")
        helpers[c].result(f"x{n}", "ok").ask(f"e{n}")
        t.tool(c, "b")
    t.model("m2", "t1", "t2")
    main.result("t1", "1").result("t2", "2").ask("m2")


def codex(session, thread, parent=None):
    more = {"x-codex-parent-thread-id": parent, "x-openai-subagent": "collab_spawn"} if parent else {}
    return {"session-id": session, "thread-id": thread, "x-codex-window-id": thread + ":0", "User-Agent": "codex_exec/0.166.0", **more}


@scene("Codex: a thread that another one began, whose call was answered at once")
def codex_threads(t):
    main = Responses("codex", tools=("exec", "spawn_agent", "wait_agent"), headers=codex("thread-1", "thread-1"))
    around = "<environment_context>\n  <cwd>x</cwd>\n</environment_context>"
    main.messages = [{"type": "message", "role": "user", "content": [{"type": "input_text", "text": around}]}]
    t.user("u1")
    t.model("m1", "u1")
    main.ask("m1", "please start another thread", calls=[("t1", "spawn_agent", {"message": "SUBTASK do it"})])
    t.tool("t1", "m1")
    t.model("m2", "t1")
    main.result("t1", "{}").ask("m2", calls=[("t2", "wait_agent", {"timeout_ms": 20000})])
    sub = Responses("codex", tools=("exec",), headers=codex("thread-1", "thread-2", "thread-1"))
    t.model("s1", "t1")
    sub.ask("s1", "SUBTASK do it", calls=[("t3", "exec", {})])
    t.tool("t3", "s1")
    t.model("s2", "t3")
    sub.result("t3", "x").ask("s2")
    t.tool("t2", "m2")
    t.model("m3", "t2")
    main.result("t2", "{}").ask("m3")


def traced(trace, span):
    return {"traceparent": f"00-{trace:032x}-{span:016x}-01"}


@scene("traceparent: an agent in the same trace, in another span, with tools of its own")
def trace(t):
    talk = boss(t, headers=traced(7, 1))
    t.model("m1", "u1")
    talk.ask("m1", "please look after the files", calls=[("t1", "run_agent", {"n": 1})])
    t.model("s1", "t1", inferred=True)
    Messages("you are a helper", tools=("read",), headers=traced(7, 2)).ask("s1", "Begin with the work you are here for.")
    t.tool("t1", "m1")
    t.model("m2", "t1")
    talk.result("t1", "found").ask("m2")


@scene("traceparent: a call of another trace does not fit", must_not=True)
def other_trace(t):
    talk = boss(t, headers=traced(7, 1))
    t.model("m1", "u1")
    talk.ask("m1", "please look after the files", calls=[("t1", "ask_helper", {"task": TASK})])
    t.user("u2")
    t.model("s1", "u2")
    Talk("you are a helper", tools=("read",), headers=traced(8, 2)).ask("s1", TASK)
    t.tool("t1", "m1")
    t.model("m2", "t1")
    talk.result("t1", "found").ask("m2")


@scene("traceparent: a title, and the next question of one trace, are no agents", must_not=True)
def trace_side(t):
    talk = boss(t, headers=traced(7, 1))
    t.model("m1", "u1")
    talk.ask("m1", "please look after the files", calls=[("t1", "run_agent", {"n": 1})])
    t.user("u2")
    t.model("m2", "u2")
    Talk("you write titles", tools=(), headers=traced(7, 2)).ask("m2", "write a title for this conversation")
    t.user("u3")
    t.model("m3", "u3")
    boss_again = Talk("you are the boss", tools=("ask_helper",), headers=traced(7, 3))
    boss_again.ask("m3", "and now look after the doors")
    t.tool("t1", "m1")
    t.model("m4", "t1")
    talk.result("t1", "found").ask("m4")
