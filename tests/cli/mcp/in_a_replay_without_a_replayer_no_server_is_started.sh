TRACKWAY_REPLAY=./no.sock trackway mcp -- sh -c 'touch started' < /dev/null
status=$?
test ! -e started && exit $status
