# The address first, the verdict at the end; what nobody recorded is refused there, too.
. "$DATA/../cli/record/common"
talker=$DATA/../cli/replay/talker
start_mock
trackway record -q --content -o run --upstream "openai=$url/v1" -- "$talker" | cat
kill "$mock"
wait "$mock"
trap - EXIT
# serve [OPTION]...: until the agent behind it is over
serve()
{
	rm -f told said
	trackway replay run --serve 127.0.0.1:0 "$@" >told 2>said &
	until address=$(grep -hos 'http://[^ ]*' told said); do
		sleep 0.02
	done
	OPENAI_BASE_URL=$address/v1
	export OPENAI_BASE_URL
	WORDS=$words "$talker" >said_by_it
	kill $!
	wait $!
	echo "exit $?"
}
serve
tail -n +2 told
words=off serve --on-divergence continue
tail -n +2 told | grep -e verdict -e request
serve --json=verdict,mode,exact,exit
cat told
trackway replay run --serve 127.0.0.1:0 -- "$talker"
trackway replay run --serve somewhere --live model
