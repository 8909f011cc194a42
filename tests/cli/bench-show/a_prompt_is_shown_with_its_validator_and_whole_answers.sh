. "$DATA/../cli/bench-show/common"
trackway bench show r P2 | no_times
trackway bench show r capital --repetition 1 --target long | no_times
