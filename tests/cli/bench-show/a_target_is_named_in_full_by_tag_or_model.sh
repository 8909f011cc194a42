. "$DATA/../cli/bench-show/common"
for target in mock:short mock__short__none short; do
	trackway bench show r P1 --target "$target" --plain | cut -f 1-4,9,10
done
