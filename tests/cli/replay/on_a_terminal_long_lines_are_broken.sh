# Behind the labels: a sentence of 140 columns is three lines there, and one line for programs.
. "$DATA/../cli/record/common"
talker=$DATA/../cli/replay/talker
start_mock
trackway record -q --content -o run --upstream "openai=$url/v1" -- "$talker" >/dev/null
WORDS='go off' COLUMNS=80 script -qec "trackway replay run -- '$talker'" /dev/null </dev/null | tr -d '\r' |
	grep -A4 '^first divergence'
WORDS='go off' trackway replay run -- "$talker" 2>/dev/null | grep -c '^first divergence: .* differs at /messages/2/content$'
