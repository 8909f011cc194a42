trackway --generate man
