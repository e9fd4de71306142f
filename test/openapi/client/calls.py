"""A program that makes the calls that it is given, and does not take the time to wait."""

import json
import re
import sys
from collections.abc import Iterator

from client import ApiError, Client

base_url, key, calls = sys.argv[1:]
waits, results = [], []
store = Client(key, base_url, longest_wait=30, wait=waits.append)
for call in json.loads(calls):
    method = getattr(store, re.sub("([A-Z])", lambda letter: f"_{letter[1].lower()}", call["name"]))
    try:
        result = method(*call.get("given", []), **call.get("query", {}), **call.get("options", {}))
        results.append(list(result) if isinstance(result, Iterator) else result)
    except ApiError as error:
        results.append({"status": error.status, "code": error.code, "message": str(error)})
    except Exception:
        results.append("another error")
print(json.dumps({"results": results, "waits": waits}))
