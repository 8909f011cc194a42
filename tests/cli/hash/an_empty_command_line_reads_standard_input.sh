printf "[1.0]" | trackway hash
