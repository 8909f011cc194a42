trackway explain --format json
