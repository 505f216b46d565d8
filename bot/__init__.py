"""The GitHub App: reviews pull requests on paper repositories."""
