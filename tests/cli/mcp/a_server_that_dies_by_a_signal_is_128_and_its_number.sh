trackway mcp -- sh -c 'kill -TERM $$'
