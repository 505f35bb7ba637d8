"""What the server does apart from pages: login, security headers, health, log, warm-up and clean-up."""
