trackway mcp cat
