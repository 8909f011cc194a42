trackway bench show --help
