mkdir in
cp "$DATA/../../doc/examples/chat.jsonl" in/
cp "$DATA/agent-trace/minimal.jsonl" in/trace.jsonl
printf '{"a":1}\n' >in/none.json
trackway convert in --to otutl --coverage --coverage-json cover.json -o out.jsonl 2>said
sed -n '/coverage by/,/^  all/p' said
python3 - <<'P'
import json
c = json.load(open("cover.json"))
parts = c["by_format"]
print(c["runs"] == sum(p["runs"] for p in parts))
for side in ("source", "output"):
    print(side, c["sizes"][side]["raw"] == sum(p["sizes"][side]["raw"] for p in parts),
          all(0 < p["sizes"][side]["gzip"] < p["sizes"][side]["raw"] for p in parts))
P
