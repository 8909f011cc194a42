trackway bench show monday
