trackway --json=version version && trackway version -q --json=version --color never
