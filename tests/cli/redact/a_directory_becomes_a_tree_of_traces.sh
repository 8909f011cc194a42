. "$(dirname "$0")/common"
mkdir in && cp log.jsonl in/
trackway redact in -o out/
find out -type f | sort
grep -rc harbour out | sort
