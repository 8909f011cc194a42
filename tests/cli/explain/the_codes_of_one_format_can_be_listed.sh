trackway explain --format agent-trace | grep -v '^ *[a-z]' | grep -o '^  [A-Z][A-Z0-9_]*' | sed 's/[0-9]*$//' | sort -u
