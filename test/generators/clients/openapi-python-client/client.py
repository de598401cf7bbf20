import json
import os

from catalog import AuthenticatedClient
from catalog.api.items import create_item, get_catalog, get_item, list_changes, list_items, update_item
from catalog.models import ItemChanges, MetadataChanges, NewItem

api = AuthenticatedClient(base_url=os.environ["CATALOG_URL"], token=os.environ["CATALOG_TOKEN"])

metadata = MetadataChanges.from_dict({"size": {"people": [4, 6]}})
new_item = NewItem(name="Oak desk", value=1_234_567.89, sku="openapi-python-client", metadata=metadata)
created = create_item.sync(client=api, body=new_item).data
changes = ItemChanges(value=0, metadata=MetadataChanges.from_dict({"color": "black"}))
updated = update_item.sync(created.id, client=api, body=changes).data
read = get_item.sync(created.id, client=api).data
[listed] = list_items.sync(client=api, sku="openapi-python-client").data
both = list_items.sync(client=api, ids=[created.id, created.id + 1_000_000]).data
changes = list_changes.sync(client=api).data
limits = get_catalog.sync(client=api).data.limits

items = [item.to_dict() for item in (created, updated, read, listed)]
print(json.dumps([*items, limits.name.max_, len(both), len(changes)]))
