trackway mock --help
