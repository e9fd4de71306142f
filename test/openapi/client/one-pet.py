"""A program with the client that the service serves. It reads pets with listPets, and changes only what it has read."""

import json
import sys

from client import ApiError, Client

base_url, key, other_key = sys.argv[1:]
store, other = Client(key, base_url), Client(other_key, base_url)
created = other.create_pet({"name": "Ada", "categoryId": 1})
pet = created["id"]


def read():
    return next(store.list_pets(ids=[pet], category_id=1))["name"]


def change(name):
    try:
        return store.change_pet(pet, {"name": name}, if_unchanged=True)["name"]
    except (ApiError, ValueError) as error:
        return getattr(error, "code", str(error))


results = [change("Bea"), read(), change("Bea")]
other.change_pet(pet, {"name": "Ada"})
# As it was read before: the response is 304.
results += [change("Cleo"), read(), change("Cleo")]
other.remove_pet(pet)
results += [change("Dora"), len(list(store.list_pets(ids=[pet])))]
print(json.dumps({"pet": str(pet), "results": results}))
