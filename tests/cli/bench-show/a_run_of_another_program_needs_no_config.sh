. "$DATA/../cli/bench-show/common"
rm runs/r/config.json
trackway bench show r P1 --target short | no_times
