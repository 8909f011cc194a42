. "$DATA/../cli/trial-run/common"
trackway trial run task --agent true --repeat 0 --isolation none
