"""One agent takes a conversation over from another; and what only looks like it."""

from kit import Messages, Talk, scene

TRIAGE = ("transfer_to_billing", "transfer_to_support")


def triage(t, name="transfer_to_billing", calls=None, tools=TRIAGE):
    t.user("u1")
    talk = Talk("you are the triage", tools=tools)
    t.model("m1", "u1")
    talk.ask("m1", "I was charged twice for one order", calls=calls or [("t1", name, {})])
    return talk


@scene("a hand-off with a result by id")
def by_id(t):
    talk = triage(t)
    talk.system, talk.tools = "you are billing", ("refund",)
    t.tool("t1", "m1")
    t.model("m2", "t1")
    talk.result("t1", '{"assistant": "billing"}').ask("m2", calls=[("t2", "refund", {})])
    t.tool("t2", "m2")
    t.model("m3", "t2")
    talk.result("t2", "done").ask("m3")


@scene("a hand-off that only tells again what the user said")
def retold(t):
    for n, name in enumerate(("transfer_to_billing", "handoff_to_billing", "delegate_to_billing")):
        said = f"I was charged twice for order number {n}"
        t.user(f"u{n}")
        t.model(f"m{n}", f"u{n}")
        Messages("you are the triage", tools=(name,)).ask(f"m{n}", said, calls=[(f"t{n}", name, {})])
        t.tool(f"t{n}", f"m{n}")
        t.model(f"e{n}", f"t{n}", inferred=True)
        Messages("you are billing", tools=("refund",)).ask(f"e{n}", said)


@scene("a hand-off after several turns")
def later(t):
    t.user("u1")
    talk = Talk("you are the triage", tools=TRIAGE)
    t.model("m1", "u1")
    talk.ask("m1", "hello, I have a question")
    t.user("u2", "m1")
    t.model("m2", "m1", "u2")
    talk.ask("m2", "I was charged twice", calls=[("t1", "transfer_to_billing", {})])
    t.tool("t1", "m2")
    t.model("m3", "t1", inferred=True)
    Talk("you are billing", tools=("refund",)).user("hello, I have a question").ask("m3", "I was charged twice")


@scene("a title has no tools where the asker had some", must_not=True)
def title(t):
    triage(t)
    t.tool("t1", "m1", partial=True)
    t.model("m2", "u1")
    Talk("you write titles", tools=()).ask("m2", "I was charged twice for one order")


@scene("a router, and then the agent: nobody said it twice", must_not=True)
def router(t):
    t.user("u1")
    t.model("m1", "u1")
    Talk("choose an agent: billing or support", tools=()).ask("m1", "I was charged twice for one order", text="billing")
    t.model("m2", "u1")
    Talk("you are billing", tools=("refund",)).ask("m2", "I was charged twice for one order")


@scene("the name is no hand-off's", must_not=True)
def other_name(t):
    triage(t, "search_orders", tools=("search_orders",))
    t.tool("t1", "m1", partial=True)
    t.model("m2", "u1")
    Talk("you are billing", tools=("refund",)).ask("m2", "I was charged twice for one order")


@scene("two calls wait", must_not=True)
def two(t):
    triage(t, calls=[("t1", "transfer_to_billing", {}), ("t2", "transfer_to_support", {})])
    t.fan("b", "m1", siblings=["t1", "t2"])
    t.tool("t1", "b", partial=True)
    t.tool("t2", "b", partial=True)
    t.model("m2", "u1")
    Talk("you are billing", tools=("refund",)).ask("m2", "I was charged twice for one order")


@scene("not all that the user said is told again", must_not=True)
def in_part(t):
    t.user("u1")
    talk = Talk("you are the triage", tools=TRIAGE)
    t.model("m1", "u1")
    talk.ask("m1", "hello, I have a question")
    t.user("u2", "m1")
    t.model("m2", "m1", "u2")
    talk.ask("m2", "I was charged twice", calls=[("t1", "transfer_to_billing", {})])
    t.tool("t1", "m2", partial=True)
    t.model("m3", "u2")
    Talk("you are billing", tools=("refund",)).ask("m3", "I was charged twice")


@scene("the same prompt: the question again, and no hand-off", must_not=True)
def same_prompt(t):
    triage(t)
    t.tool("t1", "m1", partial=True)
    t.user("u2")
    t.model("m2", "u2")
    Talk("you are the triage", tools=TRIAGE).ask("m2", "I was charged twice for one order")


@scene("a supervisor goes on from the answer of the agent that it called")
def supervisor(t):
    talk = triage(t, "transfer_to_math", tools=("transfer_to_math",))
    math = talk.fork()
    math.system, math.tools = "you do math", ("add",)
    t.tool("t1", "m1")
    t.model("m2", "t1")
    math.result("t1", "Successfully transferred").ask("m2", calls=[("t2", "add", {"a": 1})])
    t.tool("t2", "m2")
    t.model("m3", "t2")
    math.result("t2", "3").ask("m3", text="it is 3")
    t.model("m4", "m3")
    talk.result("t1", "Successfully transferred").said("it is 3")
    talk.said("Transferring back", [("made-up", "transfer_back_to_supervisor", {})]).result("made-up", "Successfully transferred back").ask("m4")


@scene("AutoGen's swarm: the words of the hand-off are no person's")
def swarm(t):
    talk = triage(t, "transfer_to_bob", tools=("transfer_to_bob",))
    t.tool("t1", "m1")
    t.model("m2", "t1", inferred=True)
    bob = Talk("bob", tools=("transfer_to_alice",)).user(talk.messages[0]["content"])
    bob.ask("m2", "Transferred to bob, adopting the role of bob immediately.")
