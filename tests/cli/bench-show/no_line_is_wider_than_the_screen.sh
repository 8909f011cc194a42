. "$DATA/../cli/bench-show/common"
for columns in 60 80 120; do
	for prompt in "" P1 P2 P3; do
		[ "$(COLUMNS=$columns trackway bench show r $prompt | wc -L)" -le "$columns" ] && echo "$columns $prompt fits"
	done
done
trackway bench show r | LC_ALL=C grep -c "$(printf '\033')" || true
