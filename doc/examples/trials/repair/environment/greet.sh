#!/bin/sh
name=${1:-world}
if [ $name = world ]; then
	echo "Hello, world!"
else
	echo "Hello, $name!"
fi
