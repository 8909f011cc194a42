# Each line that went through the pager starts with a mark.
shows() { script -qec "LINES=$1 TRACKWAY_PAGER='sed s/^/\>/' trackway $2" /dev/null </dev/null | grep -c '^>'; }
shows 10 'help --no-pager'
shows 1000 'help'
[ "$(shows 10 'help')" -gt 10 ] && echo paged
