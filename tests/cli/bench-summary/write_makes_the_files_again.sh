cp -r "$DATA/bench/looking" runs
trackway bench summary monday --write --csv | wc -l
ls runs/monday
trackway validate runs/monday | sed 's/ (.*//'
