yes '{"a":01}' | head -9 | trackway canon --lines -
