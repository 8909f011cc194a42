. "$DATA/../cli/record/common"
HTTPS_PROXY=http://proxy.example:3128 NO_PROXY=.example TRACKWAY_UPSTREAM_OPENAI=old \
	trackway record -q -o run -- env 2>said >all
stable <all | sed -E 's/TRACEPARENT=00-[0-9a-f]{32}-[0-9a-f]{16}-01/TRACEPARENT=00-TRACE-SPAN-01/; s|=/.*/run$|=.../run|
	s|=/.*[.]sock$|=.../SOCKET|' |
	grep -E '127|ID|TRACE|TRACKWAY' | grep -vE '^(TRACKWAY|TRACKWAY_HOME)=/' | LC_ALL=C sort
