"""LangGraph's own agent: two tools at once, then their results, then an answer."""

import warnings

from langchain_core.tools import tool
from langchain_openai import ChatOpenAI

warnings.simplefilter("ignore")
from langgraph.prebuilt import create_react_agent  # noqa: E402


@tool
def read_file(x: str) -> str:
    """Reads a file."""
    return f"FIRST RESULT of {x}"


@tool
def get_forecast(x: str) -> str:
    """The weather."""
    return f"SECOND RESULT of {x}"


agent = create_react_agent(ChatOpenAI(model="graph-tools", api_key="sk-none"), [read_file, get_forecast])
for step in agent.stream({"messages": [("user", "tools one")]}, stream_mode="values"):
    print(step["messages"][-1].type, step["messages"][-1].content)
