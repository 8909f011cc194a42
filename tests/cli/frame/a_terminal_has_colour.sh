# script(1) makes a terminal of standard output and standard error. 1 when there is an escape sequence.
shows() { script -qec "$1" /dev/null </dev/null | grep -c "$(printf '\033')" || :; }
export TERM=xterm
shows 'trackway nothing'
shows 'NO_COLOR=1 trackway nothing'
shows 'NO_COLOR= trackway nothing'
shows 'CLICOLOR=0 trackway nothing'
shows 'TERM=dumb trackway nothing'
shows 'trackway --color never nothing'
