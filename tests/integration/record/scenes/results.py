"""Calls and their results: by id, by name, in words, never."""

from kit import Gemini, Messages, Responses, Talk, scene, together

FORCED = {"tool_choice": {"type": "function", "function": {"name": "answer"}}}


@scene("one tool, then three at once, over each API")
def plain(t):
    for n, api in enumerate((Talk, Messages, Responses)):
        talk = api("agent", tools=("read", "find", "run"))
        m, c = [f"{n}m{i}" for i in range(3)], [f"{n}t{i}" for i in range(4)]
        t.user(f"u{n}")
        t.model(m[0], f"u{n}")
        talk.ask(m[0], f"begin the work number {n}", calls=[(c[0], "read", {})])
        t.tool(c[0], m[0])
        t.model(m[1], c[0])
        talk.result(c[0], "x").ask(m[1], calls=[(c[1], "find", {}), (c[2], "find", {}), (c[3], "run", {})])
        t.fan(f"b{n}", m[1], siblings=c[1:])
        for i in c[1:]:
            t.tool(i, f"b{n}")
        t.model(m[2], *c[1:])
        talk.result(c[1], "1").result(c[2], "2").result(c[3], "3").ask(m[2])


@scene("a client that makes up ids: by name")
def made_up(t):
    t.user("u1")
    talk = Talk("interpreter", tools=("execute",))
    for n in range(3):  # the same made-up id, each time
        t.model(f"m{n}", f"t{n - 1}" if n else "u1")
        talk.ask(f"m{n}", None if n else "please run the tool", calls=[(f"t{n}", "execute", {"code": "1"})], keep=False)
        t.tool(f"t{n}", f"m{n}")
        talk.said("I will run it.").said("", [(f"toolu_{n + 1}", "execute", {"code": "1"})]).result(f"toolu_{n + 1}", "42")
    t.model("m3", "t2")
    talk.ask("m3")


@scene("Gemini: results by name, with ids of the client's and without")
def gemini(t):
    for n, made in enumerate(("", "pyd_ai_")):
        talk = Gemini("agent", tools=("look", "run"))
        talk.made_up = made
        look, run, again = f"look{n}", f"run{n}", f"again{n}"
        t.user(f"u{n}")
        t.model(f"m{n}0", f"u{n}")
        talk.ask(f"m{n}0", f"please run the tools of part {n}", calls=[(look, look, {}), (run, run, {})])
        t.fan(f"b{n}", f"m{n}0", siblings=[look, run])
        t.tool(look, f"b{n}")
        t.tool(run, f"b{n}")
        t.model(f"m{n}1", look, run)
        talk.result(look, "1", look).result(run, "2", run).ask(f"m{n}1", calls=[(again, again, {})])
        t.tool(again, f"m{n}1")
        t.model(f"m{n}2", again)
        talk.result(again, "3", again).ask(f"m{n}2")


@scene("a made-up id is not looked for in another conversation", must_not=True)
def made_up_elsewhere(t):
    t.user("u1")
    t.model("m1", "u1")
    t.tool("t1", "m1", partial=True)
    Talk("agent one").ask("m1", "please run the tool", calls=[("t1", "work", {})])
    t.user("u2")
    t.model("m2", "u2")
    Talk("agent two").user("something that began elsewhere").said("", [("old_1", "work", {})]).result("old_1", "42").ask(
        "m2", "and now do something else")


@scene("results in words: the calls end where the conversation goes on")
def in_words(t):
    t.user("u1")
    talk = Talk("smol", tools=("search", "final_answer"), tool_choice="required")
    t.model("m1", "u1")
    talk.ask("m1", "find the population of France", calls=[("t1", "search", {"query": "population of France"})], keep=False)
    talk.said("Calling tools: search").user("Observation:\n68 million")
    t.tool("t1", "m1")
    t.model("m2", "t1")
    talk.ask("m2", calls=[("t2", "final_answer", {"answer": "68 million"})])
    t.tool("t2", "m2", partial=True)  # smolagents' last call: required says nothing, and it has no result


@scene("several results in words are joined")
def in_words_several(t):
    t.user("u1")
    talk = Messages("smol", tools=("search",))
    t.model("m1", "u1")
    talk.ask("m1", "find two things for me", calls=[("t1", "search", {"q": "a"}), ("t2", "search", {"q": "b"})], keep=False)
    t.fan("b", "m1", siblings=["t1", "t2"])
    t.tool("t1", "b")
    t.tool("t2", "b")
    talk.said("Calling tools").user("Observation:\none and two")
    t.model("m2", "t1", "t2")
    talk.ask("m2")
    t.user("u2", "m2")
    t.model("m3", "m2", "u2")
    talk.ask("m3", "and a third thing, please")


@scene("a title made of the conversation ends no call", must_not=True)
def title_ends_nothing(t):
    t.user("u1")
    talk = Talk("agent", tools=("work",))
    t.model("m1", "u1")
    talk.ask("m1", "please begin with the work", calls=[("t1", "work", {})])
    t.model("m2", "m1")
    Talk("make a title", tools=()).user("please begin with the work").said("I am working on it").ask("m2", text="Work")
    t.tool("t1", "m1")
    t.model("m3", "t1")
    talk.result("t1", "done").ask("m3")


@scene("mini-swe-agent's last call has no result: it is partial, and ended when it was asked")
def last_call(t):
    t.user("u1")
    talk = Messages("swe", tools=("bash",))
    t.model("m1", "u1")
    talk.ask("m1", "Please solve this issue", calls=[("t1", "bash", {"command": "ls -la /some/where"})])
    t.tool("t1", "m1")
    t.model("m2", "t1")
    talk.result("t1", "files").ask("m2", calls=[("t2", "bash", {"command": "echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT"})])
    t.tool("t2", "m2", partial=True)


@scene("results that are told again are no new parents", must_not=True)
def told_again(t):
    t.user("u1")
    talk = Talk("agent")
    t.model("m1", "u1")
    talk.ask("m1", "begin with the first thing", calls=[("t1", "work", {})])
    t.tool("t1", "m1")
    t.model("m2", "t1")
    talk.result("t1", "1").ask("m2", calls=[("t2", "work", {})])
    t.tool("t2", "m2")
    t.model("m3", "t2")
    talk.messages[1]["content"] = "I said it otherwise"  # a client that tells the answer in other words
    talk.result("t2", "2").ask("m3")
    t.user("u2", "m3")
    t.model("m4", "m3", "u2")
    talk.ask("m4", "go on with the second")


@scene("a window that slides over the conversation", must_not=True)
def sliding(t):
    t.user("u1")
    talk = Talk("agent")
    t.model("m0", "u1")
    talk.ask("m0", "begin with the first thing", calls=[("t0", "work", {})])
    for n in range(1, 5):
        t.tool(f"t{n - 1}", f"m{n - 1}")
        t.model(f"m{n}", f"t{n - 1}")
        talk.result(f"t{n - 1}", str(n))
        if n == 2:
            del talk.messages[1:3]
        talk.ask(f"m{n}", calls=[(f"t{n}", "work", {})])
    t.tool("t4", "m4", partial=True)


@scene("two requests with the same result share it")
def shared(t):
    t.user("u1")
    talk = Talk("agent")
    t.model("m1", "u1")
    talk.ask("m1", "begin with the work", calls=[("t1", "work", {})])
    talk.result("t1", "done")
    t.tool("t1", "m1")
    left, right = talk.fork(), talk.fork()
    t.fan("b", "t1", siblings=["m2", "m3"])
    t.user("u2", "m1")
    t.model("m2", "b")
    t.model("m3", "b", "u2")
    right.user("and look at it again")
    together(lambda: left.ask("m2", delay=1), lambda: __import__("time").sleep(0.2) or right.ask("m3", delay=1))


@scene("a typed answer is no call: tool_choice names the one function")
def typed(t):
    for n, (api, choice) in enumerate(((Talk, FORCED), (Messages, {"tool_choice": {"type": "tool", "name": "answer"}}),
                                       (Responses, {"tool_choice": {"type": "function", "name": "answer"}}),
                                       (Gemini, {"toolConfig": {"functionCallingConfig": {"mode": "ANY", "allowedFunctionNames": ["answer"]}}}))):
        t.user(f"u{n}")
        t.model(f"m{n}", f"u{n}")
        api("extract", tools=("answer",), **choice).ask(f"m{n}", f"what is in text number {n}?", calls=[(f"t{n}", "answer", {"text": "x"})])


@scene("pydantic-ai's final_result is no call, what stands beside it is one")
def final_result(t):
    client = {"User-Agent": "pydantic-ai/2.66.0"}
    t.user("u1")
    t.model("m1", "u1")
    Talk("one", tools=("final_result",), headers=client, tool_choice="required").ask(
        "m1", "what is in this text?", calls=[("t1", "final_result", {"a": 1})])
    t.user("u2")
    t.model("m2", "u2")
    t.tool("t2", "m2", partial=True)
    Talk("two", tools=("look", "final_result_Answer"), headers=client).ask(
        "m2", "what is in that text?", calls=[("t2", "look", {}), ("t3", "final_result_Answer", {"a": 1})])


@scene("a final_result that was refused and sent back is a call")
def refused_result(t):
    client = {"User-Agent": "pydantic-ai/2.66.0"}
    talk = Talk("one", tools=("look", "final_result"), headers=client)
    t.user("u1")
    t.model("m1", "u1")
    talk.ask("m1", "what is in this text?", calls=[("t1", "look", {}), ("t2", "final_result", {"a": 1})])
    t.fan("b", "m1", siblings=["t1", "t2"])
    t.tool("t1", "b")
    t.tool("t2", "b")
    t.model("m2", "t1", "t2")
    talk.result("t1", "seen").result("t2", "1 validation error").ask("m2", calls=[("t3", "final_result", {"a": "1"})])


@scene("a tool that had to be called is a call when it has a result")
def forced_call(t):
    talk = Talk("agent", tools=("answer", "look"), **FORCED)
    t.user("u1")
    t.model("m1", "u1")
    talk.ask("m1", "look at these two things", calls=[("t1", "answer", {"n": 1}), ("t2", "answer", {"n": 2})])
    talk.more = {}
    t.fan("b", "m1", siblings=["t1", "t2"])
    t.tool("t1", "b")
    t.tool("t2", "b")
    t.model("m2", "t1", "t2")
    talk.result("t1", "1").result("t2", "2").ask("m2")


@scene("required alone makes no typed answer, nor does another client's final_result", must_not=True)
def not_typed(t):
    t.user("u1")
    t.model("m1", "u1")
    t.tool("t1", "m1", partial=True)
    Talk("one", tools=("answer",), tool_choice="required").ask("m1", "what is in this text?", calls=[("t1", "answer", {"a": 1})])
    t.user("u2")
    t.model("m2", "u2")
    t.tool("t2", "m2", partial=True)
    Talk("two", tools=("final_result",)).ask("m2", "what is in that text?", calls=[("t2", "final_result", {"a": 1})])
    t.user("u3")
    t.model("m3", "u3")
    t.tool("t3", "m3", partial=True)
    Talk("three", tools=("answer", "other"), **FORCED).ask("m3", "what is in the last text?", calls=[("t3", "other", {"a": 1})])


@scene("one id used in two conversations", must_not=True)
def same_id(t):
    one, two = Talk("one", tools=("a_one",)), Talk("two", tools=("b_two",))
    for talk, u, m, word in ((one, "u1", "m1", "first"), (two, "u2", "m2", "second")):
        t.user(u)
        t.model(m, u)
        talk.ask(m, f"begin with the {word} thing", calls=[("call_" + word, "work", {})], keep=False)
        talk.said("", [("call_0", "work", {})]).result("call_0", "done")
    t.tool("call_first", "m1")
    t.model("m3", "call_first")
    one.ask("m3")
    t.tool("call_second", "m2")
    t.model("m4", "call_second")
    two.ask("m4")
