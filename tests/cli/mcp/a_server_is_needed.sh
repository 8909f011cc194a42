trackway mcp
