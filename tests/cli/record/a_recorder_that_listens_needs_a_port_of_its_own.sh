. "$DATA/../cli/record/common"
start_mock
record --listen "${url#http://}" 2>err
status=$?
sed 's/port [1-9][0-9]*/port PORT/' err >&2
exit $status
