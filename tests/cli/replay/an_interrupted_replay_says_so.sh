# Exit status 143 after SIGTERM, whatever is asked for: what was not made then says nothing of the agent.
. "$DATA/../cli/record/common"
talker=$DATA/../cli/replay/talker
start_mock
trackway record -q --content -o run --upstream "openai=$url/v1" -- "$talker" | cat
cp -r run before
for how in --on-divergence=continue --update; do
	echo "--- $how"
	trackway replay $how run -- sh -c "touch ready; exec sleep 60" >verdict 2>said &
	while [ ! -e ready ]; do
		sleep 0.02
	done
	kill $!
	wait $!
	echo "exit $?"
	grep -e '^verdict' -e '^interrupted' verdict
	rm ready
done
diff -r run before
