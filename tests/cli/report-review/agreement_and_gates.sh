. "$DATA/../cli/report/common"
start_with_models
for n in 1 2 3 4; do reviews s-$n ana pass; reviews s-$n ben pass; done
for n in 5 6 7; do reviews s-$n ana fail; reviews s-$n ben fail; done
reviews s-8 ana fail
reviews s-8 ben pass
reviews s-9 ana defer
shown trackway report review --model m-small --gate "open<=0" --gate "alpha>=0.6" --gate "annotators>=1"
