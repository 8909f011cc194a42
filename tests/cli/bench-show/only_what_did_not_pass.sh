. "$DATA/../cli/bench-show/common"
trackway bench show r --failed --repetition 2 | no_times
trackway bench show r P3 --failed --target mock:short
