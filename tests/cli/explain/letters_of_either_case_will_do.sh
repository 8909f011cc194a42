trackway explain at041 >a
trackway explain AT041 >b
cmp a b && test -s a
