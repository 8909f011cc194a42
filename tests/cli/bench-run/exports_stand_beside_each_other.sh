. "$(dirname "$0")/common"
good --run-id r --export-json s.json --export-md s.md --export-csv s.csv --export-junit s.xml -q >/dev/null
for f in s.json s.md s.csv s.xml; do [ -s $f ] || echo "$f is missing"; done
trackway validate s.json
