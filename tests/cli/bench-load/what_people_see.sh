# How fast this machine is does not belong here, nor whether it was too slow.
COLUMNS=200 trackway bench load --target mock:echo --rate 100 --arrivals constant --requests 5 --allow-commands --run-id a 2>err |
	sed '/BOTTLENECK/d; s/[0-9.]* m*s\b/T/g; s/  */ /g; s/^\(1 100.00 100.00 5 5 0 0 0 0\) .* -$/\1 R R -/'
cat err
