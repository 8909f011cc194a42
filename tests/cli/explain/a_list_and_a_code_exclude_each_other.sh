trackway explain --list AT041
