printf '{"b":1,"a":2}\n{"z":1e2}\n' | trackway canon --lines -
