#!/bin/sh
# Half of the reward is for the order, half for names that stand there once.
order=0 once=0
if [ -s output.txt ]; then
	LC_ALL=C sort -c output.txt 2>/dev/null && order=1
	[ "$(sort -u output.txt)" = "$(sort -u names.txt)" ] && [ -z "$(sort output.txt | uniq -d)" ] && once=1
fi
case $order$once in
11) reward=1.0 ;;
00) reward=0.0 ;;
*) reward=0.5 ;;
esac
echo "{\"reward\": $reward, \"order\": $order, \"once\": $once}" >&3
