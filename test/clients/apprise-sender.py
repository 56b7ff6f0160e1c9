"""Sends a notification with apprise: BASE_URL HOST KEY TARGETS, and the title and the body as JSON on standard input.

Apprise sends to https://HOST. The address of its class is replaced, since the gateway of a test has no certificate.
"""

import json
import sys

from apprise import Apprise

base, host, key, targets = sys.argv[1:]
sender = Apprise.instantiate(f"zulip://alerts@{host}/{key}/{targets}")
type(sender).notify_url = f"{base}/api/v1/messages"
notification = json.load(sys.stdin)
if not sender.notify(title=notification["title"], body=notification["body"]):
    sys.exit("apprise reports a failure")
print("sent")
