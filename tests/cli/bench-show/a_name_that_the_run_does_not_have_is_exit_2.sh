. "$DATA/../cli/bench-show/common"
trackway bench show r P9
trackway bench show r nothing_like_it
trackway bench show r --target mock:shirt
trackway bench show r --json --plain
trackway bench show r --json=prompts
