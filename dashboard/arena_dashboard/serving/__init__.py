"""The application that serves the pages: what it lets through, its errors, its other addresses."""
