trackway juggle
