. "$DATA/../cli/trial-run/common"
trackway trial run task --agent "sleep 60" --timeout 1 --isolation none -q | plain
