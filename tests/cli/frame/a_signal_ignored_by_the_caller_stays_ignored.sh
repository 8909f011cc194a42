# As nohup and background jobs want it.
mkfifo pipe
env --ignore-signal=INT trackway canon - <pipe &
exec 3>pipe
printf '{"b":1' >&3
sleep 0.5
kill -INT $!
echo '}' >&3
exec 3>&-
wait $!
