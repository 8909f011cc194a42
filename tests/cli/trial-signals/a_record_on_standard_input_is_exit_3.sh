trackway trial signals - <"$DATA/trial/full.json"
