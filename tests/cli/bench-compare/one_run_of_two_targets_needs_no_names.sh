cp -r "$DATA/bench/looking" runs
trackway bench compare thrice --metric pass >one
trackway bench compare thrice --metric pass --a mock:small --b mock:large >two
cmp one two && head -n 4 one
