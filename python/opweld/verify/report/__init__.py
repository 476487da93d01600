"""Reports of a run: table on the terminal, JUnit XML, JSON, SARIF, one HTML page."""
