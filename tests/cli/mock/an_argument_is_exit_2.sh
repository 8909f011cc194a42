trackway mock script.json
