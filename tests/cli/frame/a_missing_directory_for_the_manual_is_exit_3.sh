trackway --generate man missing
