. "$DATA/../cli/runs/common"
make_runs
# ids OPTION...: the runs that are left, on one line
ids()
{
	printf '%s:' "$*"
	trackway runs "$@" --plain 2>/dev/null | cut -f1 | tr '\n' ' ' | sed 's/^/ /; s/ $//'
	echo
}
ids --kind bench
ids --kind record
ids --model TINY
ids --agent agent
ids --agent quick
ids --tag team
ids --tag team=search --tag job=nightly
ids --tag team=other
ids --verdict error
ids --verdict complete
ids --since 2001-09-10
ids --since 2001-09-11T00:00:00Z
ids --since 1h
ids --limit 1
