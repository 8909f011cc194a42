COLUMNS=120 trackway --help
