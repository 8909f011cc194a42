trackway mock --script "$DATA/mock/script.json" --dry-run
