trackway version --json=version
