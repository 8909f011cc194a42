# The last file never ends: its writer holds it open until the signal was sent.
cp "$DATA/../../doc/examples/agent-trace.jsonl" a.jsonl
echo '{"b":1}' >b.jsonl
mkfifo pipe
stop()
{
	env --default-signal=INT trackway validate . pipe -v "$@" >answer 2>said &
	exec 3>pipe
	head -n 1 a.jsonl >&3
	until grep -q b.jsonl said; do sleep 0.05; done
	kill -"$signal" $!
	wait $!
	echo "$?: $*"
	exec 3>&-
	grep checked said
}
signal=INT
stop
signal=TERM
stop --json -o report.json
ls
