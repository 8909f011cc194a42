. "$DATA/../cli/report/common"
start
mkdir out
cat >out/trajectory.jsonl <<'END'
{"version":1,"format":"aec-bench-trajectory"}
{"step":1,"role":"assistant","content":"x"}
{"step":1,"role":"tool_call","tool_name":"bash","command":"ls"}
{"step":1,"role":"tool_result","stderr":"no such thing","exit_code":2,"duration_ms":5}
END
trial a-1 0.0 m-a t/1
trial a-2 1.0 m-a t/1 's|out/trajectory|none/trajectory|'
trackway -q ledger add a-1.json a-2.json >/dev/null 2>&1
shown trackway report traces
trackway report behaviour --json=rows
