cp "$DATA/otlp/run.json" .
trackway validate run.json >out
status=$?
sed 's/ ([0-9.]* m\{0,1\}s)$/ (TIME)/' out
exit $status
