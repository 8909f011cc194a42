trackway explain BS013 BR067 BR051
