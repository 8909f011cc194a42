cp -r "$DATA/bench/looking" runs
trackway bench compare monday tuesday --metric pass --metric latency --fail-on-regression >out
echo "$? with two metrics"
trackway bench compare tuesday monday --metric latency --fail-on-regression >out
echo "$? the other way round"
trackway bench compare monday tuesday --metric latency >out
echo "$? when nobody asks"
trackway bench compare monday tuesday --metric latency --fail-on-regression | grep 'A is'
trackway bench compare monday tuesday --metric latency --fail-on-regression >out
