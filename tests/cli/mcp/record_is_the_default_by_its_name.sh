printf 'a line\n' | trackway mcp --record -- cat
