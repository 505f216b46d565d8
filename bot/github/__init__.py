"""GitHub as the App and the Action meet it: the one place where PyGithub is used."""
