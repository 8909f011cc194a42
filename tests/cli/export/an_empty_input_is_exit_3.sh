trackway export - --format dot
