"""The file that holds the password of a server."""

from pathlib import Path


class PasswordError(ValueError):
    """Raised if a password file is missing or has no password; the message is a sentence for the user."""


def password_of(file: str | Path) -> str:
    """Return the password in the first line of a file.

    Raises:
        PasswordError: The file cannot be read, or its first line is empty.
    """
    try:
        with Path(file).open(encoding="utf-8") as lines:
            password = lines.readline(1_000).strip()
    except (OSError, UnicodeDecodeError) as error:
        raise PasswordError(f"The file of the password cannot be read: {file} ({error}).") from None
    if not password:
        raise PasswordError(f"{file} has no password in its first line.")
    return password
