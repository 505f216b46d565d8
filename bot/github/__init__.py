"""Access to GitHub for the App and the Action; only this package uses PyGithub."""
