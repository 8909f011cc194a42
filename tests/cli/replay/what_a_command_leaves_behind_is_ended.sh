# Nobody answers it any more, and it would try again for ever.
. "$DATA/../cli/record/common"
talker=$DATA/../cli/replay/talker
start_mock
trackway record -q --content -o run --upstream "openai=$url/v1" -- "$talker" | cat
for how in exit pause; do
	rm -f left
	# shellcheck disable=SC2016
	trackway replay --timeout 1 run -- sh -c '"$0"; setsid sh -c "echo \$\$ >left; exec sleep 300" & until [ -s left ]; do sleep 0.02; done
		[ "$1" = exit ] || sleep 300; exit 0' "$talker" "$how" 2>said | grep verdict
	kill -0 "$(cat left)" 2>/dev/null && echo 'it is still there'
done
true
