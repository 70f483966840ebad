"""What Schemathesis cannot know about the service."""

import os
from urllib.parse import unquote_to_bytes

import schemathesis

# Without credentials, or with wrong ones; otherwise a superuser calls.
IS_STRANGER = "GBAC_OPENAPI_STRANGER" in os.environ


@schemathesis.hook
def filter_query(_, query):
    """A flag without a value is set, and the values of a filter have numbers, too (D-94)."""
    for name, value in (query or {}).items():
        if value == "" or (name.startswith("filter.") and str(value).isdigit()):
            return False
    return True


@schemathesis.hook
def filter_headers(_, headers):
    """A reason is percent-encoded UTF-8 without control characters."""
    reason = str((headers or {}).get("GBAC-Reason", "x"))
    try:
        return unquote_to_bytes(reason).decode().isprintable() and is_encoded(reason)
    except UnicodeError:
        return False


def is_encoded(text):
    parts = text.split("%")[1:]
    return all(len(part) >= 2 and set(part[:2]) <= set("0123456789abcdefABCDEF") for part in parts)


@schemathesis.check
def needs_credentials(_, response, case):
    """Only what the document opens answers strangers."""
    ways = case.operation.definition.raw.get("security", [{"password": []}])
    is_open = not ways or {} in ways
    if IS_STRANGER and not is_open:
        assert response.status_code >= 400, "a stranger got an answer"
