"""What the server does while it lives, apart from any page."""
