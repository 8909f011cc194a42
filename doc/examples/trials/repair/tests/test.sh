#!/bin/sh
# What the agent wrote runs without descriptor 3: only these lines give the reward.
passed=0
[ "$(sh greet.sh 3>&-)" = "Hello, world!" ] && passed=$((passed + 1))
[ "$(sh greet.sh Ada 3>&-)" = "Hello, Ada!" ] && passed=$((passed + 1))
[ "$(sh greet.sh 'Ada Lovelace' 3>&-)" = "Hello, Ada Lovelace!" ] && passed=$((passed + 1))
if [ $passed = 3 ]; then
	reward=1.0
else
	reward=0.0
fi
echo "{\"reward\": $reward, \"passed\": $passed}" >&3
