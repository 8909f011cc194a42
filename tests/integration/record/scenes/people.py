"""What a person said, once, and nobody else."""

from kit import Gemini, Messages, Responses, Talk, scene

REMINDER = "<system-reminder>\nToday is Monday.\n</system-reminder>"


@scene("a chat of several turns, over each API")
def chat(t):
    for n, api in enumerate((Talk, Messages, Responses, Gemini)):
        talk = api("chat", tools=())
        before = []
        for i in range(3):
            t.user(f"u{n}{i}", *before)
            t.model(f"m{n}{i}", *before, f"u{n}{i}")
            talk.ask(f"m{n}{i}", "yes" if i else f"tell me about number {n}")
            before = [f"m{n}{i}"]


@scene("history that is resumed, and examples, are nobody's words now", must_not=True)
def resumed(t):
    t.user("u1")
    talk = Talk("chat", tools=())
    talk.user("an example of a question").said("an example of an answer").user("a second example").said("yes")
    t.model("m1", "u1")
    talk.ask("m1", "and this is the real question")
    t.user("u2", "m1")
    t.model("m2", "m1", "u2")
    talk.ask("m2", "and another one")


@scene("surroundings that the client marks as its own", must_not=True)
def context(t):
    t.user("u1")
    t.model("m1", "u1")
    talk = Responses("codex")
    talk.user("<environment_context>\n  <cwd>x</cwd>\n</environment_context>").ask("m1", "please run the tool")
    t.user("u2")
    t.model("m2", "u2")
    other = Messages("claude")
    other.messages = [{"role": "user", "content": [{"type": "text", "text": REMINDER}, {"type": "text", "text": "please run the other tool"}]}]
    other.ask("m2")
    t.user("u3")
    t.model("m3", "u3")
    Talk("copilot").ask("m3", "<current_datetime>2026-11-16</current_datetime>\n\nplease run the third tool")
    t.user("u4")
    t.model("m4", "u4")
    Gemini("cli").user("<session_context>\nThis is the Gemini CLI.\n</session_context>").ask("m4", "please run the last tool")


@scene("a task in the background that reports is no person", must_not=True)
def notified(t):
    t.user("u1")
    talk = Messages("claude")
    t.model("m1", "u1")
    talk.ask("m1", "please run it in the background")
    t.model("m2", "m1")
    talk.ask("m2", "<task-notification>\n<task-id>b1</task-id><status>completed</status>\n</task-notification>")
    t.user("u2", "m2")
    t.model("m3", "m2", "u2")
    talk.ask("m3", "thank you, that will do")


@scene("a tag that is no client's is said by a person")
def own_tag(t):
    t.user("u1")
    t.model("m1", "u1")
    Messages("chat").ask("m1", "<article>some words to be summed up</article>")


@scene("a title is made of the same words: said once")
def title(t):
    t.user("u1")
    t.model("m1", "u1")
    Messages("you write titles", tools=()).ask("m1", '"please run the tool for me"', text="Tool")
    t.model("m2", "u1")
    Messages("agent").ask("m2", '"please run the tool for me"')


@scene("short words in two conversations are two people's", must_not=True)
def short(t):
    for n in range(2):
        t.user(f"u{n}")
        t.model(f"m{n}", f"u{n}")
        Talk(f"prompt number {n}").ask(f"m{n}", "go on")


@scene("the service keeps the conversation: what follows is told by the id of the answer")
def kept(t):
    talk = Responses("agent")
    t.user("u1")
    t.model("m1", "u1")
    talk.ask("m1", "please run the tool", calls=[("t1", "work", {})])
    talk.messages, talk.more = [], {"previous_response_id": "m1"}
    t.tool("t1", "m1")
    t.model("m2", "t1")
    talk.result("t1", "done").ask("m2")
    talk.messages, talk.more = [], {"previous_response_id": "m2"}
    t.user("u2", "m2")
    t.model("m3", "m2", "u2")
    talk.ask("m3", "please run the tool")


@scene("two people at once, with the same agent", must_not=True)
def two(t):
    one, two_ = Talk("agent"), Talk("agent")
    for n, talk in (("a", one), ("b", two_)):
        t.user("u" + n)
        t.model(n + "1", "u" + n)
        talk.ask(n + "1", f"my name is {n}, please help me", calls=[("t" + n, "work", {})])
    for n, talk in (("b", two_), ("a", one)):
        t.tool("t" + n, n + "1")
        t.model(n + "2", "t" + n)
        talk.result("t" + n, "done").ask(n + "2")


@scene("a team in turns: what another agent said is no person's", must_not=True)
def team(t):
    writer, critic = Talk("you write", tools=()), Talk("you criticise", tools=())
    poem, advice = "a poem about the sea, blue and deep", "make it shorter, and say more of fish"
    t.user("u1")
    t.model("m1", "u1")
    writer.ask("m1", "Write a short poem about the sea", text=poem)
    t.model("m2", "u1")
    critic.user("Write a short poem about the sea").ask("m2", poem, text=advice)
    t.model("m3", "m1")
    writer.ask("m3", advice)


@scene("samples of one question that all go on: each from its own answer", must_not=True)
def samples(t):
    talks = [Messages("chat", tools=()) for _ in range(3)]
    for n, talk in enumerate(talks):
        t.user(f"u{n}")
        t.model(f"m{n}", f"u{n}")
        talk.ask(f"m{n}", "tell me a joke about cats", text=f"joke number {n}")
    for n, talk in enumerate(talks):
        t.user(f"v{n}", f"m{n}")
        t.model(f"e{n}", f"m{n}", f"v{n}")
        talk.ask(f"e{n}", f"say more about joke {n}")
