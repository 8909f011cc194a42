trackway mcp -- no-such-server
