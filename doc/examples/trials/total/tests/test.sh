#!/bin/sh
# The total, to the cent.
if [ "$(cat output.txt 2>/dev/null)" = 50.00 ]; then
	echo '{"reward": 1.0}' >&3
else
	echo '{"reward": 0.0}' >&3
fi
