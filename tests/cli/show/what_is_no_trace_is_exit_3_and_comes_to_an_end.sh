printf 'PK\003\004 damaged {' >log.eval
trackway show log.eval
echo "exit $?"
trackway show /dev/urandom 2>/dev/null
echo "exit $?"
