# shellcheck disable=SC1091,SC2154 # found by $DATA, where $url and $server are set
. "$DATA/../cli/watch/common"
mkdir runs
serve -q --allow-host box
metrics >page
for request in 'GET /' 'HEAD /metrics' 'GET /metrics?a=b' 'GET /other' 'POST /metrics'; do
	# shellcheck disable=SC2086 # two words, on purpose
	ask $request | sed -n -e "1s,^,$request: ,p" -e '/^Allow/p'
done
for header in 'Host: 127.0.0.1:PORT' 'Host: box' 'Host: evil.example' 'Host: localhost:1'; do
	ask GET /metrics "$header" | sed -n "1s,^,$header: ,p"
done
ask GET /metrics 'Host: localhost:PORT' 'Origin: https://evil.example' | head -n 1
ask GET / | tail -n 1
stop
