for name in agent-trace otutl trajectory conversation cassette trial results summary; do
	trackway formats --schema $name >$name.json
	trackway formats --schema $name --strict >$name.strict.json
done
trackway validate --as json --json=verdict ./*.json
