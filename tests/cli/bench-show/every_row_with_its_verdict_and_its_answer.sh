. "$DATA/../cli/bench-show/common"
trackway bench show r | no_times
