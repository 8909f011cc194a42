"""The smallest agent of Pydantic AI with a tool."""

from pydantic_ai import Agent

agent = Agent("openai-chat:gpt-4o-mini")


@agent.tool_plain
def say(how: str) -> str:
    return how % 42 if "%" in how else how


print(agent.run_sync("run it").output)
