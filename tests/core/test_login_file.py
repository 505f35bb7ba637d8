import pytest

from embedviz.core.login_file import LoginFileError, login_of

GOOD = {
    "client_id": '"vectors"',
    "client_secret": '"secret"',
    "server_metadata_url": '"https://login.example.org/.well-known/openid-configuration"',
    "redirect_uri": '"https://vectors.example.org/lab/oauth2callback"',
    "allowed": '["@Example.org", "ada@other.net"]',
}


@pytest.fixture
def settings(tmp_path):
    def made(**changed):
        lines = {**GOOD, **changed}
        (tmp_path / "login.toml").write_text("\n".join(f"{name} = {text}" for name, text in lines.items() if text))
        return login_of(tmp_path / "login.toml")

    return made


@pytest.mark.parametrize(
    ("email", "verified", "trusting", "plain"),
    [
        ("bob@example.org", True, True, True),
        ("BOB@EXAMPLE.ORG", "true", True, True),
        ("ada@other.net", True, True, True),
        ("bob@other.net", True, False, False),
        ("bob@sub.example.org", True, False, False),
        ("bob@example.org.evil.net", True, False, False),
        ("example.org", True, False, False),
        ("", True, False, False),
        (None, True, False, False),
        ("bob@example.org", False, False, False),
        ("bob@example.org", None, True, False),
    ],
)
def test_who_may_enter(settings, email, verified, trusting, plain):
    claims = {"email": email} | ({} if verified is None else {"email_verified": verified})
    assert settings().allows(claims) is plain
    assert settings(trust_email="true").allows(claims) is trusting


def test_each_process_signs_with_a_key_of_its_own_unless_the_file_has_one(settings):
    first, second = settings(), settings()
    assert first.cookie_secret != second.cookie_secret
    assert len(first.cookie_secret) >= 32
    assert settings(cookie_secret=f'"{"k" * 40}"').cookie_secret == "k" * 40
    assert first.root == "https://vectors.example.org/lab/"
    assert "secret" not in repr(first).replace("client_secret", "")


@pytest.mark.parametrize(
    ("changed", "why"),
    [
        ({"client_secret": ""}, "lacks: client_secret"),
        ({"allow": "[]"}, "unknown settings: allow"),
        ({"client_id": "7"}, "client_id is not a text"),
        ({"allowed": "[]"}, "allowed is not a list"),
        ({"allowed": '["*"]'}, "neither a domain nor an e-mail"),
        ({"allowed": '["org"]'}, "neither a domain nor an e-mail"),
        ({"redirect_uri": '"http://vectors.example.org/oauth2callback"'}, "redirect_uri must begin with https"),
        ({"redirect_uri": '"https://vectors.example.org/"'}, "does not end with /oauth2callback"),
        ({"server_metadata_url": '"file:///etc/passwd"'}, "server_metadata_url must begin with https"),
        ({"cookie_secret": '"short"'}, "fewer than 32"),
        ({"trust_email": '"yes"'}, "neither true nor false"),
        ({"client_id": "["}, "cannot be read"),
    ],
)
def test_a_wrong_file_is_a_sentence(settings, changed, why):
    with pytest.raises(LoginFileError, match=why):
        settings(**changed)
