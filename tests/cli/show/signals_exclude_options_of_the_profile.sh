for option in --all --limit=3 --plain --raw --permissive --json=verdict; do
	trackway show "$DATA/show/full.jsonl" --signals "$option"; echo "exit $?"
done
