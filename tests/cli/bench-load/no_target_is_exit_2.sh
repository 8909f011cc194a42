trackway bench load --rate 1
