. "$DATA/../cli/trial-run/common"
mkdir empty
trackway trial run empty --agent true --isolation none 2>&1 | joined
trackway trial run "$PWD/none" --agent true --isolation none -q 2>/dev/null
