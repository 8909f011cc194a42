# "user" and "options" name the user and the sampling of a model; to anybody else they may be the question.
. "$DATA/../cli/record/common"
start_mock
# shellcheck disable=SC2016
agent='"$0/ask" "$TRACKWAY_UPSTREAM_SEARCH/find" "{\"user\":\"$WHO\",\"options\":{\"limit\":5}}" >answer; echo done'
export WHO=bob
trackway record -q --content -o run --upstream "search=$url" -- sh -c "$agent" "$cases" 2>said | cat
trackway replay run -- sh -c "$agent" "$cases" 2>said | grep verdict
WHO=alice trackway replay run -- sh -c "$agent" "$cases" 2>said | grep -e verdict -e path
