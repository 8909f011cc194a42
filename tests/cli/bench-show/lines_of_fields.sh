. "$DATA/../cli/bench-show/common"
trackway bench show r --plain | cut -f 1-4,7-10
