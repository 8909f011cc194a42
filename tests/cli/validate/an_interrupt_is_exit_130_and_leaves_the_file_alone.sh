# A shell starts a command in the background with SIGINT ignored, and env undoes that.
echo before >report.json
mkfifo pipe
env --default-signal=INT trackway validate --as jsonl --json - -o report.json <pipe 2>err &
exec 3>pipe
printf '{"a":1}\n{"a"' >&3
sleep 0.5
kill -INT $!
wait $!
status=$?
exec 3>&-
cat err report.json
exit $status
