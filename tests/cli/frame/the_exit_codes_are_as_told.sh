# One line for each code of 'trackway help exit-codes' but 70, which is a unit test's.
tell()
{
	"$@" >out 2>err
	echo "$? $*"
}
echo '{"a":1}' >good.json
echo '{"a":1,"a":2}' >bad.json
tell trackway canon good.json
tell trackway canon bad.json
tell trackway canon --wrong good.json
tell trackway canon missing.json

# A command that waits for a pipe. A shell starts it with SIGINT ignored, and env undoes that.
interrupt()
{
	mkfifo pipe
	env --default-signal=INT trackway canon - <pipe >out 2>err &
	exec 3>pipe
	printf '{"a":1}' >&3
	sleep 0.5
	kill "-$1" $!
	wait $!
	echo "$? $1"
	exec 3>&-
	cat out err
	rm pipe
}
interrupt INT
interrupt TERM
