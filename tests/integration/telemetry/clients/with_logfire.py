"""The parts under Logfire, which has no spans for the tools of plain clients."""

import logfire

from parts import Parts

logfire.configure(send_to_logfire=False, console=False)
logfire.instrument_openai()
logfire.instrument_anthropic()


def agent(name):
    def wrap(function):
        def run():
            with logfire.span("the part {name}", name=name):
                return function()

        return run

    return wrap


parts = Parts(agent=agent)
parts.openai()
parts.anthropic()
logfire.force_flush()
