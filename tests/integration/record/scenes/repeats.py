"""The same request again."""

import os
import signal
import time

from kit import Gemini, Messages, Responses, Talk, scene, together


@scene("a failure and its retries, whatever model and parameters")
def retries(t):
    t.user("u1")
    talk = Talk("be kind").user("what is the weather like")
    t.model("m1", "u1")
    talk.ask("m1", status=500)
    t.retry("r1", "m1")
    t.model("m2", "r1")
    talk.model, talk.more = "fallback", {"temperature": 0.7}
    talk.ask("m2", status=429)
    t.retry("r2", "m2")
    t.model("m3", "r2")
    talk.ask("m3")
    t.user("u2", "m3")
    t.model("m4", "m3", "u2")
    talk.ask("m4", "and tomorrow?")


@scene("an answer that breaks off is a failure")
def torn(t):
    for n, api in enumerate((Talk, Messages, Responses, Gemini)):
        a, b = f"a{n}", f"b{n}"
        talk = api().user(f"question number {n} of four")
        t.user("u" + a)
        t.model(a, "u" + a)
        talk.ask(a, torn=True)
        t.retry("r" + a, a)
        t.model(b, "r" + a)
        talk.ask(b)


@scene("a retry in the middle of a conversation keeps the results")
def retry_results(t):
    t.user("u1")
    talk = Messages("you are an agent")
    t.model("m1", "u1")
    talk.ask("m1", "do something for me", calls=[("t1", "work", {})])
    t.tool("t1", "m1")
    t.model("m2", "t1")
    talk.result("t1", "done").ask("m2", status=529)
    t.retry("r1", "m2")
    t.model("m3", "r1")
    talk.ask("m3")


@scene("another request after a failure is no retry", must_not=True)
def no_retry(t):
    t.user("u1")
    t.model("m1", "u1")
    Talk("one").user("what is the weather like").ask("m1", status=500)
    t.user("u2")
    t.model("m2", "u2")
    Talk("one").user("what is the weather like in Rome").ask("m2")
    t.model("m3", "u2")  # the same words under another prompt: nobody said them again
    Talk("two").user("what is the weather like in Rome").ask("m3")


@scene("other tools make another request", must_not=True)
def other_tools(t):
    t.user("u1")
    t.model("m1", "u1")
    Talk("one").user("what is the weather like").ask("m1", status=500)
    t.model("m2", "u1")
    Talk("one", tools=("weather", "clock")).user("what is the weather like").ask("m2")


@scene("twins on their way both hang on the branch")
def twins(t):
    t.user("u1")
    t.fan("b", "u1", kind="speculative", siblings=["m1", "m2", "m3"])
    for m in ("m1", "m2", "m3"):
        t.model(m, "b")
    talks = [Talk(model=f"model-{n}").user("who is the fastest of you") for n in range(3)]
    together(lambda: talks[0].ask("m1", delay=1), lambda: time.sleep(0.2) or talks[1].ask("m2", delay=1),
             lambda: time.sleep(0.4) or talks[2].ask("m3", delay=1))


@scene("twins in the middle of a conversation")
def inner_twins(t):
    t.user("u1")
    talk = Talk("agent")
    t.model("m1", "u1")
    talk.ask("m1", "do something for me", calls=[("t1", "work", {})])
    talk.result("t1", "done")
    t.tool("t1", "m1")
    t.fan("b", "t1", kind="speculative", siblings=["m2", "m3"])
    t.model("m2", "b")
    t.model("m3", "b")
    other = talk.fork()
    together(lambda: talk.ask("m2", delay=0.8), lambda: time.sleep(0.2) or other.ask("m3", delay=0.1))


@scene("different questions at once are no twins", must_not=True)
def no_twins(t):
    talks = []
    for n in range(3):
        t.user(f"u{n}")
        t.model(f"m{n}", f"u{n}")
        talks.append(Talk("same prompt").user(f"question number {n} of three"))
    together(*[lambda n=n: talks[n].ask(f"m{n}", delay=0.4) for n in range(3)])


@scene("pass@k: after a success the same question is a new root")
def pass_at_k(t):
    for n in range(4):
        t.user(f"u{n}")
        t.model(f"m{n}", f"u{n}")
        Talk("solve it", model="m", temperature=n / 4).user("write a function that adds two numbers").ask(f"m{n}")


@scene("pass@k with tools: each sample follows its own", must_not=True)
def pass_at_k_tools(t):
    for n in range(3):
        m, c = f"m{n}", f"t{n}"
        talk = Talk("solve it")
        t.user("u" + m)
        t.model(m, "u" + m)
        talk.ask(m, "write a function that adds two numbers", calls=[(c, "work", {"code": "def add(a, b): return a + b"})])
        t.tool(c, m)
        t.model(m + "b", c)
        talk.result(c, f"passed {n}").ask(m + "b")


@scene("a resample gets the parents of its twin")
def resample(t):
    t.user("u1")
    talk = Talk("agent")
    t.model("m1", "u1")
    talk.ask("m1", "do something for me", calls=[("t1", "work", {})])
    talk.result("t1", "done")
    t.tool("t1", "m1")
    for m in ("m2", "m3", "m4"):
        t.model(m, "t1")
        talk.ask(m, keep=False)
    t.user("u2", "m4")
    talk.said("fine")
    t.model("m5", "m4", "u2")
    talk.ask("m5", "thank you for this")


@scene("a resample of a chat has the message of the user, too")
def resample_chat(t):
    t.user("u1")
    talk = Messages("chat", tools=())
    t.model("m1", "u1")
    talk.ask("m1", "tell me a joke about cats")
    t.user("u2", "m1")
    talk.user("now one about dogs, please")
    for m in ("m2", "m3"):
        t.model(m, "m1", "u2")
        talk.ask(m, keep=False)


@scene("an evaluation loop is one root a question", must_not=True)
def evaluation(t):
    for n in range(4):
        m, c = f"m{n}", f"t{n}"
        talk = Responses("answer with the tool")
        t.user("u" + m)
        t.model(m, "u" + m)
        talk.ask(m, f"what is the capital of country number {n}?", calls=[(c, "work", {"query": f"capital of country number {n}"})])
        t.tool(c, m)
        t.model(m + "b", c)
        talk.result(c, "found").ask(m + "b")


@scene("the agent is killed: what waited is there", exit_code=137)
def killed(t):
    t.user("u1")
    t.model("m1", "u1")
    t.tool("t1", "m1", partial=True)
    Talk(tool_choice={"type": "function", "function": {"name": "answer"}}).ask("m1", "what is it", calls=[("t1", "answer", {"text": "it"})])
    os.kill(os.getpid(), signal.SIGKILL)
