trackway --version && trackway -V
