trackway canon nowhere.json
