"""A client program as API users would write it, with a package that openapi-python-client generates from the document.

It takes the address of the API and a key, and prints the results.
"""

import json
import sys

from petstore import AuthenticatedClient
from petstore.api.keys import list_keys, rotate_key
from petstore.api.pets import change_pet, create_pet, list_pets
from petstore.models import Animal, Error, NewPet, PetChange, PetStatus, RotatedApiKey

base_url, key = sys.argv[1:]
shop = AuthenticatedClient(base_url=base_url, token=key, raise_on_unexpected_status=True)


def created(name: str, category_id: int) -> Animal:
    pet = create_pet.sync(client=shop, body=NewPet(name=name, category_id=category_id, status=PetStatus.AVAILABLE))
    assert isinstance(pet, Animal), pet
    return pet


bella = created("Bella", 9223372036854775807)
luna = created("Luna", 1)
created("Rocky", 1)

some = list_pets.sync(client=shop, ids=[luna.id, bella.id], status=PetStatus.AVAILABLE)
assert isinstance(some, list), some

refused = create_pet.sync(client=shop, body=NewPet(name="", category_id=1))
assert isinstance(refused, Error), refused

response = list_pets.sync_detailed(client=shop, limit=1)
page = list_pets.sync(client=shop, limit=1, after=bella.id)
assert isinstance(page, list), page

renamed = change_pet.sync(luna.id, client=shop, body=PetChange(name="Lunetta"))
assert isinstance(renamed, Animal), renamed

keys = list_keys.sync(client=shop)
assert isinstance(keys, list), keys
# The body is optional.
rotated = rotate_key.sync(keys[0].id, client=shop)
assert isinstance(rotated, RotatedApiKey), rotated

stranger = list_pets.sync(client=AuthenticatedClient(base_url=base_url, token="wrong"))
assert isinstance(stranger, Error), stranger

json.dump(
    {
        "some": [pet.to_dict() for pet in some],
        "refused": refused.to_dict(),
        "limit": response.headers["X-RateLimit-Limit"],
        "page": [pet.id for pet in page],
        "renamed": renamed.name,
        "replaces": rotated.replaces == keys[0].id,
        "stranger": stranger.code == "invalid_api_key" and type(stranger.code) is str,
    },
    sys.stdout,
)
