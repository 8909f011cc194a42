# The last source never ends: its writer holds it open until the signal was sent. A shell starts a command in the
# background with SIGINT ignored, and env undoes that.
cp "$DATA/../../doc/examples/chat.jsonl" a.jsonl
cp a.jsonl b.jsonl
mkfifo pipe
stop()
{
	signal=$1
	shift
	env --default-signal=INT trackway convert a.jsonl b.jsonl pipe --to otutl -v "$@" >answer 2>said &
	exec 3>pipe
	head -n 1 a.jsonl >&3
	until grep -q "$ready" said; do sleep 0.05; done
	kill -"$signal" $!
	wait $!
	echo "$?: $*"
	exec 3>&-
	grep -A 1 -E '^(interrupted|terminated)' said >&2
}
ready='^read b'
stop INT -o out/
ls -A out
grep -c . out/index.jsonl
rm out/a* out/b*
stop TERM -o out/ --update
stop INT -o flat/ --flat
stop INT -o one.jsonl
stop INT
ls
