COLUMNS=120 trackway completion --help
