trackway mcp --name 'my server=2' -- cat </dev/null
