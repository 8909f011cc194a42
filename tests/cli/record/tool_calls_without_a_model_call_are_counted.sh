. "$DATA/../cli/record/common"
# No model is asked, but a shim sees a command: it is a call, and there is something to show.
record -o run --shell -- sh -c 'cat /dev/null'
COLUMNS=80 trackway show run | sed -n 's/known by/&/p'
