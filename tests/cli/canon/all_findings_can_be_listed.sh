yes '{"a":01}' | head -9 | trackway canon --lines --all - 2>&1 | grep -c E_SYNTAX
