"""Calls every method of `zulip.Client` of the Python library against a running demo organisation.

    PYTHONPATH=<checkout>/zulip python3 python-library.py <demo.json>

Fails if a method is not called, if an answer is not the expected one, or if an answer lacks a member.
"""

import inspect
import io
import json
import os
import sys
import threading

import zulip

with open(sys.argv[1], encoding="utf-8") as demo_file:
    demo = json.load(demo_file)
users, channels = demo["users"], demo["channels"]
# A second run on the same organisation needs names of its own.
NAME = f"library{os.getpid()}"

# A picture of one pixel.
GIF = bytes.fromhex("47494638396101000100800000ffffff00000021f90401000000002c000000000100010000020244010" "03b")

# Methods for features that Carillon does not have; they must be refused with this code.
REFUSED = {
    "update_realm_profile_field": "METHOD_NOT_ALLOWED",
    "remove_user_group": "METHOD_NOT_ALLOWED",
    "update_notification_settings": "NOT_FOUND",
}
# Methods that ask the server nothing, or that `listen` covers.
WITHOUT_CALL = {"call_endpoint", "do_api_query", "ensure_session", "get_user_agent"}

# Parameters that the library sends without need.
SUPERFLUOUS = {"stream", "stream_id", "message_id", "group_id", "dont_block"}

called = set()
failures = []


def client_of(name):
    user = users[name]
    return zulip.Client(email=user["email"], api_key=user["api_key"], site=demo["base_url"])


def check(client, method, *arguments, members=(), **named):
    """Calls a method, and expects success with these members, or the refusal in `REFUSED`."""
    called.add(method)
    answer = getattr(client, method)(*arguments, **named)
    if method in REFUSED:
        if answer.get("code") != REFUSED[method]:
            failures.append(f"{method}: expected {REFUSED[method]}, got {answer}")
    elif answer.get("result") != "success":
        # What follows needs this answer.
        sys.exit(f"{method}: {answer}")
    elif set(answer.get("ignored_parameters_unsupported", [])) - SUPERFLUOUS:
        failures.append(f"{method}: {answer}")
    else:
        failures.extend(f"{method}: no {member}" for member in members if member not in answer)
    return answer


def picture(name):
    file = io.BytesIO(GIF)
    file.name = name
    return file


def expect(what, is_true):
    if not is_true:
        failures.append(what)


def listen(client, start):
    """Waits with `call_on_each_message` for the message that `start` sends."""
    called.update(["call_on_each_message", "call_on_each_event"])
    received, arrived = [], threading.Event()

    def keep(message):
        received.append(message)
        arrived.set()

    threading.Thread(target=client.call_on_each_message, args=[keep], daemon=True).start()
    for _ in range(20):
        # The first messages may come before the client has registered its queue.
        start()
        if arrived.wait(0.5):
            break
    expect("call_on_each_message: no message", received)
    for message in received[:1]:
        for member in ("id", "content", "sender_email", "display_recipient", "type", "timestamp"):
            expect(f"call_on_each_message: no {member}", member in message)


def check_messages(admin, alice):
    to_channel = {"type": "stream", "to": "general", "topic": "Library", "content": "hello http://a.example"}
    message_id = check(alice, "send_message", to_channel, members=["id"])["id"]
    direct = {"type": "private", "to": [users["admin"]["email"]], "content": "Privately"}
    check(alice, "send_message", direct, members=["id"])
    check(alice, "send_message", {**direct, "to": users["admin"]["email"]}, members=["id"])
    window = {"anchor": "newest", "num_before": 10, "num_after": 0}
    narrow = [{"operator": "stream", "operand": "general"}, {"operator": "topic", "operand": "library"}]
    answer = check(alice, "get_messages", {**window, "narrow": narrow}, members=["found_newest"])
    expect("get_messages: not the message", answer["messages"][-1]["id"] == message_id)
    matching = {"msg_ids": [message_id], "narrow": [{"operator": "has", "operand": "link"}]}
    check(alice, "check_messages_match_narrow", **matching, members=["messages"])
    expect("no raw_content", "raw_content" in check(alice, "get_raw_message", message_id))
    check(alice, "update_message", {"message_id": message_id, "content": "changed"})
    check(alice, "get_message_history", message_id, members=["message_history"])
    reaction = {"message_id": message_id, "emoji_name": "octopus"}
    check(alice, "add_reaction", reaction)
    check(alice, "remove_reaction", reaction)
    flags = {"messages": [message_id], "op": "add", "flag": "starred"}
    check(alice, "update_message_flags", flags, members=["messages"])
    check(alice, "render_message", {"content": "**foo**"}, members=["rendered"])
    check(alice, "set_typing_status", {"op": "start", "to": [users["admin"]["user_id"], users["bob"]["user_id"]]})
    typing = {"type": "stream", "op": "stop", "stream_id": channels["general"], "topic": "Library"}
    check(alice, "set_typing_status", typing)
    check(alice, "mark_topic_as_read", channels["general"], "Library")
    check(alice, "mark_stream_as_read", channels["general"])
    check(alice, "mark_all_as_read", members=["complete"])
    check(alice, "mute_topic", {"stream": "general", "topic": "Library", "op": "add"})
    check(alice, "mute_topic", {"stream": "general", "topic": "Library", "op": "remove"})
    check(admin, "move_topic", "general", "general", "Library", "Moved library")
    check(admin, "delete_message", message_id)


def check_files(admin, alice):
    url = check(alice, "upload_file", picture("pixel.gif"), members=["uri", "url", "filename"])["url"]
    share = {"type": "stream", "to": "general", "topic": "Files", "content": f"[picture]({url})"}
    check(alice, "send_message", share)
    check(alice, "get_attachments", members=["attachments", "upload_space_used"])
    check(admin, "upload_custom_emoji", NAME, picture("library.gif"))
    emoji = check(alice, "get_realm_emoji")["emoji"].values()
    expect("get_realm_emoji: not the emoji", NAME in [one["name"] for one in emoji])
    check(admin, "delete_custom_emoji", NAME)


def check_channels(admin, alice):
    streams = [{"name": NAME, "description": "Of the library"}]
    check(admin, "add_subscriptions", streams, members=["subscribed", "already_subscribed"])
    check(admin, "add_subscriptions", streams, principals=[users["alice"]["user_id"]])
    channel_id = check(alice, "get_stream_id", NAME)["stream_id"]
    check(alice, "get_streams", members=["streams"])
    check(alice, "get_streams", include_public=False, members=["streams"])
    subscriptions = check(alice, "get_subscriptions")["subscriptions"]
    expect("get_subscriptions: not the channel", NAME in [one["name"] for one in subscriptions])
    check(alice, "list_subscriptions", {"include_subscribers": True}, members=["subscriptions"])
    check(alice, "get_subscription_status", users["alice"]["user_id"], channel_id, members=["is_subscribed"])
    check(alice, "get_subscribers", stream=NAME, members=["subscribers"])
    check(alice, "get_stream_topics", channel_id, members=["topics"])
    check(alice, "get_stream_email_address", channel_id, members=["email"])
    color = {"stream_id": channel_id, "property": "color", "value": "#f00f00"}
    check(alice, "update_subscription_settings", [color])
    check(admin, "update_stream", {"stream_id": channel_id, "description": "Changed"})
    check(admin, "add_default_stream", channel_id)
    check(alice, "remove_subscriptions", [NAME], members=["removed", "not_removed"])
    check(admin, "remove_subscriptions", [NAME], [users["admin"]["email"]], members=["removed"])
    check(admin, "delete_stream", channel_id)


def check_people(admin, alice):
    check(alice, "get_profile", members=["user_id", "email", "full_name", "role", "max_message_id"])
    check(alice, "get_users", {"client_gravatar": False}, members=["members"])
    check(alice, "get_members", {"include_custom_profile_fields": True}, members=["members"])
    person = {"email": f"{NAME}@demo.carillon.test", "password": "library-password", "full_name": "Libby Ray"}
    user_id = check(admin, "create_user", person, members=["user_id"])["user_id"]
    check(alice, "get_user_by_id", user_id, include_custom_profile_fields=True, members=["user"])
    check(admin, "update_user_by_id", user_id, full_name="Libby Roy")
    check(admin, "deactivate_user_by_id", user_id)
    check(admin, "reactivate_user_by_id", user_id)
    check(alice, "update_presence", {"status": "active", "ping_only": False, "new_user_input": False}, members=["presences"])
    check(alice, "get_user_presence", users["alice"]["email"], members=["presence"])
    check(alice, "get_realm_presence", members=["presences", "server_timestamp"])
    check(alice, "add_alert_words", ["library", "bar"], members=["alert_words"])
    check(alice, "get_alert_words", members=["alert_words"])
    check(alice, "remove_alert_words", ["library", "bar"], members=["alert_words"])
    settings = {"enable_offline_push_notifications": True, "enable_online_push_notifications": True}
    check(alice, "update_notification_settings", settings)


def check_groups(admin, alice):
    group = {"name": NAME, "description": "Of the library", "members": [users["alice"]["user_id"]]}
    check(admin, "create_user_group", group)
    groups = check(alice, "get_user_groups")["user_groups"]
    group_id = next(one["id"] for one in groups if one["name"] == NAME)
    check(admin, "update_user_group", {"group_id": group_id, "name": f"{NAME} readers"})
    members = {"add": [users["bob"]["user_id"]], "delete": [users["alice"]["user_id"]]}
    check(admin, "update_user_group_members", group_id, members)
    check(admin, "remove_user_group", group_id)


def check_organisation(admin, alice):
    check(alice, "get_server_settings", members=["zulip_version", "zulip_feature_level", "realm_name"])
    check(alice, "get_realm_linkifiers", members=["linkifiers"])
    filter_ = check(admin, "add_realm_filter", "#(?P<id>[0-9]+)", "https://example.com/{id}", members=["id"])
    check(admin, "remove_realm_filter", filter_["id"])
    field = {"name": NAME, "hint": "Where?", "field_type": 1}
    field_id = check(admin, "create_realm_profile_field", **field, members=["id"])["id"]
    check(admin, "update_realm_profile_field", field_id, name="Desk")
    fields = check(alice, "get_realm_profile_fields", members=["custom_fields"])["custom_fields"]
    order = [field["id"] for field in reversed(fields)]
    check(admin, "reorder_realm_profile_fields", order=order)
    check(admin, "remove_realm_profile_field", field_id)


def check_queues(alice, bot):
    everything = check(alice, "register", members=["queue_id", "last_event_id", "realm_users"])
    expect("register: not the own account", everything["user_id"] == users["alice"]["user_id"])
    queue_id = check(alice, "register", ["message", "realm_emoji"], members=["last_event_id"])["queue_id"]
    check(alice, "send_message", {"type": "private", "to": [users["alice"]["user_id"]], "content": "Note"})
    events = check(alice, "get_events", queue_id=queue_id, last_event_id=-1)["events"]
    expect("get_events: not the message", [one["type"] for one in events] == ["message"])
    check(alice, "deregister", queue_id)
    again = alice.deregister(queue_id)
    expect(f"deregister: {again}", again.get("code") == "BAD_EVENT_QUEUE_ID")
    check(bot, "update_storage", {"storage": {"entry 1": "value 1", "entry 2": "value 2"}})
    check(bot, "get_storage", {"keys": ["entry 1"]}, members=["storage"])
    to_bot = {"type": "private", "to": [users["alice_bot"]["user_id"]], "content": "Wake up"}
    listen(bot, lambda: alice.send_message(to_bot))


def main():
    admin, alice, bot = (client_of(name) for name in ("admin", "alice", "alice_bot"))
    check_messages(admin, alice)
    check_files(admin, alice)
    check_channels(admin, alice)
    check_people(admin, alice)
    check_groups(admin, alice)
    check_organisation(admin, alice)
    check_queues(alice, bot)
    methods = {name for name, _ in inspect.getmembers(zulip.Client, inspect.isfunction) if name[0] != "_"}
    failures.extend(f"{name}: not called" for name in sorted(methods - called - WITHOUT_CALL))
    print(f"zulip {zulip.__version__}: {len(methods & called)} of {len(methods)} methods called")
    print("\n".join(failures))
    sys.exit(1 if failures else 0)


main()
