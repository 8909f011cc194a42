cp -r "$DATA/bench/looking" runs
trackway bench summary monday -q --export-json s.json --export-md s.md --export-csv s.csv --export-junit s.xml >out
for f in s.json s.md s.csv s.xml; do [ -s $f ] && echo "$f"; done
grep -c '<testcase' s.xml
