trackway completion nothing -h
