trackway bench load --help
