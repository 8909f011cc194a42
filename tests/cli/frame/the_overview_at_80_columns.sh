trackway --help
