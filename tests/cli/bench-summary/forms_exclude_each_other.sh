trackway bench summary monday --md --plain
