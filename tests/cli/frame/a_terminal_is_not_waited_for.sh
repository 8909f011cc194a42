# Without a file and with a terminal as standard input: help at once, exit 2. script(1) makes the terminal.
script -qec 'trackway canon' /dev/null </dev/null >said
echo $?
tr -d '\r' <said | head -n 3
