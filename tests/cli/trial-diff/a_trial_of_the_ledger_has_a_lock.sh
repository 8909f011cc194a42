. "$DATA/../cli/trial-diff/common"
trackway trial run task --agent true --adapter-revision v1 --isolation none -q -o job >/dev/null
trackway trial diff a.json "$(basename job/0*)"
