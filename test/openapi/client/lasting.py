"""A program with the client that the service serves. It takes the address of the API, a key, and where to say that it waits."""

import json
import sys
from concurrent.futures import ThreadPoolExecutor
from urllib.request import urlopen

from client import ApiError, Client

base_url, key, control, total = sys.argv[1:]
CATEGORY = 9223372036854775807


def wait(seconds):
    """The clock of the service is a fake one: it advances by what a client waits."""
    urlopen(control, data=str(seconds).encode()).read()


store = Client(key, base_url, wait=wait)
with ThreadPoolExecutor(8) as threads:
    names = [f"Pet {index}" for index in range(int(total))]
    created = list(threads.map(lambda name: store.create_pet({"name": name, "categoryId": CATEGORY}), names))


def listed():
    return [(pet["name"], pet["categoryId"]) for pet in store.list_pets(limit=7)]


first = listed()
second = listed()
renamed = store.change_pet(created[0]["id"], {"name": "Renamed"}, if_unchanged=True)
try:
    refused = store.get_pet(0)["name"]
except ApiError as error:
    refused = error.code
categories = sorted({str(category) for _, category in first})
print(json.dumps({"listed": len(first), "isSame": first == second, "categories": categories, "renamed": renamed["name"], "refused": refused}))
