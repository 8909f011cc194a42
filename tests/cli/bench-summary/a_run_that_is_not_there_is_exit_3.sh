trackway bench summary monday
