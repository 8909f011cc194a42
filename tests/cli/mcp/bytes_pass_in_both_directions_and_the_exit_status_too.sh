head -c 300000 /dev/urandom >sent
trackway mcp -- sh -c 'cat; echo complaint >&2; exit 7' <sent >got
echo $?
cmp sent got
