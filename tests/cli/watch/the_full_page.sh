trackway watch --help
