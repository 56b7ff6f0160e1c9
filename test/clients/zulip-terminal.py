"""Drives zulip-terminal in a pseudoterminal against a running demo organisation, as the account "alice".

    PYTHONPATH=<checkout>:<checkout of the Python library>/zulip python3 zulip-terminal.py <demo.json> <folder>

The folder takes its configuration and its log. Fails if an expected text does not appear, or if the program ends early.
"""

import fcntl
import json
import os
import pathlib
import pty
import re
import select
import signal
import struct
import sys
import termios
import threading
import time

import zulip

TIMEOUT_SECONDS = 30
ESCAPE_SEQUENCE = re.compile(r"\x1b(?:[()][0AB]|\[[0-9;?]*[A-Za-z]|[=>78])|[\x0e\x0f\x00]")
# A second run on the same organisation needs a topic of its own.
TOPIC = f"Terminal {os.getpid()}"
ENTER, TAB, ESCAPE, CTRL_C, CTRL_D, CTRL_U, END = "\r", "\t", "\x1b", "\x03", "\x04", "\x15", "\x1b[F"
UP, DOWN, COMPLETE = "\x1b[A", "\x1b[B", "\x06"

demo = json.loads(pathlib.Path(sys.argv[1]).read_text(encoding="utf-8"))
folder = pathlib.Path(sys.argv[2]).resolve()


def client_of(name):
    user = demo["users"][name]
    return zulip.Client(email=user["email"], api_key=user["api_key"], site=demo["base_url"])


class SessionFailed(Exception):
    pass


class Terminal:
    """The program in a pseudoterminal of 160 columns and 48 rows."""

    def __init__(self, notify=False):
        user = demo["users"]["alice"]
        file = folder / "zuliprc"
        file.write_text(f"[api]\nemail={user['email']}\nkey={user['api_key']}\nsite={demo['base_url']}\n[zterm]\nexit_confirmation=disabled\n")
        file.chmod(0o600)
        self.process, self.descriptor = pty.fork()
        if self.process == 0:
            os.chdir(folder)
            # Files that it downloads lie in the temporary folder.
            os.environ.update(TERM="xterm-256color", COLORTERM="", LC_ALL="C.UTF-8", TMPDIR=str(folder))
            arguments = ["--config-file", str(file), "--notify" if notify else "--no-notify", "--theme", "zt_dark"]
            os.execv(sys.executable, [sys.executable, "-m", "zulipterminal.cli.run", *arguments])
        fcntl.ioctl(self.descriptor, termios.TIOCSWINSZ, struct.pack("HHHH", 48, 160, 0, 0))
        self.output = ""

    def see(self, *texts):
        """Waits until the program has written all texts since the last key."""
        deadline = time.monotonic() + TIMEOUT_SECONDS
        while not all(text in self.output for text in texts):
            if time.monotonic() > deadline:
                self.fail(f"{texts} did not appear")
            self._read()

    def press(self, *keys):
        # What follows a key too soon becomes one key with it.
        for key in keys:
            self._read_all()
            self.output = ""
            os.write(self.descriptor, key.encode())
            time.sleep(0.3)

    def end(self):
        """Ends the program, which deletes its event queue."""
        self.press(CTRL_C)
        deadline = time.monotonic() + TIMEOUT_SECONDS
        while self._read():
            if time.monotonic() > deadline:
                self.fail("does not end")
        # Its exit code is always 1.
        os.waitpid(self.process, 0)
        if self.errors():
            self.fail("ended with an error")

    def errors(self):
        return "".join(file.read_text() for file in sorted(folder.glob("zulip-terminal-*.log")))

    def fail(self, reason):
        try:
            os.kill(self.process, signal.SIGKILL)
        except ProcessLookupError:
            pass
        output = self.output[-6000:]
        raise SessionFailed(f"{reason}\n--- last output\n{output}\n--- log\n{self.errors()[-3000:]}")

    def _read_all(self):
        while select.select([self.descriptor], [], [], 0.2)[0] and self._read():
            pass

    def _read(self):
        """Reads for at most a second; False when the program has ended."""
        if select.select([self.descriptor], [], [], 1)[0]:
            try:
                written = os.read(self.descriptor, 65536)
            except OSError:
                return False
            self.output += ESCAPE_SEQUENCE.sub("", written.decode(errors="replace"))
        return True


def send(client, content, topic=TOPIC):
    answer = client.send_message({"type": "stream", "to": "general", "topic": topic, "content": content})
    assert answer["result"] == "success", answer
    return answer["id"]


def run_session():
    alice, bob = client_of("alice"), client_of("bob")
    # The program starts at the first unread message.
    alice.mark_all_as_read()
    screen = Terminal()
    screen.see("Alice Hart", "All messages", "general", "design", "Alice's Helper")
    # Channel messages of others arrive, and are sent.
    received = send(bob, "A message for the terminal, @**Alice Hart**")
    screen.see("A message for the terminal")
    screen.press("c", *"general", TAB, *TOPIC, TAB, *"Typed **here**", CTRL_D, ESCAPE)
    screen.press(END)
    screen.see("Typed here")
    # In the narrow of its topic, what is added below a message stays on the screen.
    screen.press("S")
    screen.see("topic narrow")
    # The own message: star, reaction, its details, edit.
    screen.press("*")
    screen.see("*")
    screen.press("+")
    screen.see(":thumbs_up:")
    screen.press("i")
    screen.see("Message Information", "thumbs_up")
    screen.press(ESCAPE, "e")
    screen.see("Typed **here**")
    screen.press(CTRL_U, *"Changed here", CTRL_D)
    screen.see("Changed here", "EDITED")
    # Others react, and take it back.
    mine = alice.get_messages({"anchor": "newest", "num_before": 1, "num_after": 0})["messages"][0]["id"]
    reaction = {"message_id": mine, "emoji_name": "octopus"}
    bob.add_reaction(reaction)
    screen.see(":octopus:")
    bob.remove_reaction(reaction)
    screen.press("+")
    # Narrows.
    screen.press("f")
    screen.see("Starred messages", "Changed here")
    screen.press("P")
    screen.see("All direct messages", "Do you have a minute before lunch?")
    screen.press("#")
    screen.see("@Alice Hart")
    screen.press("a", "/", *"message", ENTER)
    screen.see("A message for the terminal")
    # Panels.
    screen.press(ESCAPE, "w", *"Bob")
    screen.see("Bob Fischer")
    screen.press(ESCAPE, "q", *"general", ENTER, "t")
    screen.see("Topics", TOPIC)
    screen.end()
    flags = {one["id"]: one["flags"] for one in alice.get_messages({"message_ids": [received, mine]})["messages"]}
    assert "read" in flags[received], flags
    assert "starred" in flags[mine], flags


def newest_of(client, **narrow):
    """The newest message of a narrow, as a client other than the program sees it."""
    terms = [{"operator": operator, "operand": operand} for operator, operand in narrow.items()]
    window = {"anchor": "newest", "num_before": 1, "num_after": 0, "apply_markdown": False}
    return client.get_messages({**window, "narrow": terms})["messages"][-1]


def eventually(what, condition):
    deadline = time.monotonic() + TIMEOUT_SECONDS
    while not condition():
        if time.monotonic() > deadline:
            raise SessionFailed(f"{what}: not so")
        time.sleep(0.2)


def run_actions():
    """What changes something on the server, each checked by another client."""
    alice, bob = client_of("alice"), client_of("bob")
    alice.mark_all_as_read()
    topic = f"{TOPIC} actions"
    screen = Terminal()
    screen.see("All messages", "general")
    first = send(bob, "Agree with **me**?", topic)
    screen.see("Agree with me?")
    # The program starts in its left panel.
    screen.press("l", END, "S")
    screen.see("topic narrow")
    act_on_message(screen, alice, bob, first)
    reply_and_edit(screen, alice, bob, topic)
    screen.end()


def act_on_message(screen, alice, bob, first):
    def reactions():
        found = alice.get_messages({"message_ids": [first]})["messages"][0]["reactions"]
        return sorted(one["emoji_name"] for one in found if one["user_id"] == demo["users"]["alice"]["user_id"])

    bob.add_reaction({"message_id": first, "emoji_name": "octopus"})
    screen.see(":octopus:")
    screen.press("=")
    eventually("agrees with a reaction", lambda: reactions() == ["octopus"])
    screen.press("=")
    eventually("takes a reaction back", lambda: reactions() == [])
    # Details: the sender, the raw text, the history.
    screen.press("u")
    screen.see("Bob Fischer", "Role")
    screen.press(ESCAPE, "i")
    screen.see("Message Information")
    screen.press("r")
    screen.see("Agree with **me**?")
    screen.press(ESCAPE, ESCAPE)
    bob.update_message({"message_id": first, "content": "Agree with **us**?"})
    screen.see("Agree with us?")
    screen.press("i", "e")
    screen.see("(Original Version)", "Agree with **me**?")
    screen.press(ESCAPE, ESCAPE)


def reply_and_edit(screen, alice, bob, topic):
    screen.press(">")
    screen.see("```quote")
    screen.press(*"Quoted", CTRL_D, ESCAPE)
    eventually("quotes", lambda: "said](" in newest_of(alice, channel="general", topic=topic)["content"])
    screen.press(END, "e", TAB, CTRL_U, *f"{topic} moved", TAB, TAB, CTRL_D)
    eventually("moves a message", lambda: newest_of(alice, channel="general")["subject"] == f"{topic} moved")


def run_direct_messages():
    """Direct messages: typing, sending, editing; and a file of one."""
    alice, bob = client_of("alice"), client_of("bob")
    alice.mark_all_as_read()
    typed = TypingOf(bob)
    screen = Terminal()
    screen.see("All messages", "general")
    text = folder / "terminal.txt"
    text.write_text("A file for the terminal.")
    with text.open("rb") as file:
        address = bob.upload_file(file)["uri"]
    bob.send_message({"type": "private", "to": [alice.email], "content": f"[terminal.txt]({address})"})
    screen.see("terminal.txt")
    screen.press("P")
    screen.see("All direct messages")
    screen.press("l", END, "x", *"Bob", COMPLETE, TAB, *"Typed in private", CTRL_D, ESCAPE)
    eventually("sends a direct message", lambda: newest_of(bob, dm=alice.email)["content"] == "Typed in private")
    typed.see("start", "stop")
    screen.press(END, "e", CTRL_U, *"Changed in private", CTRL_D)
    eventually("edits a direct message", lambda: newest_of(bob, dm=alice.email)["content"] == "Changed in private")
    download_file(screen)
    screen.end()


def download_file(screen):
    screen.press(END, "k", "i")
    screen.see("Message Information", "terminal.txt")
    screen.press(DOWN, ENTER)
    eventually("downloads a file", lambda: any(file.read_text() == "A file for the terminal." for file in folder.glob("zt-*")))
    screen.press(ESCAPE)


class TypingOf:
    """The notices of typing that an account gets."""

    def __init__(self, client):
        self.client = client
        self.operations = []
        queue = client.register(event_types=["typing"])
        threading.Thread(target=self._poll, args=(queue["queue_id"], queue["last_event_id"]), daemon=True).start()

    def _poll(self, queue_id, last):
        while True:
            events = self.client.get_events(queue_id=queue_id, last_event_id=last)["events"]
            self.operations += [event["op"] for event in events if event["type"] == "typing"]
            last = max(last, *(event["id"] for event in events), -1)

    def see(self, *operations):
        eventually(f"tells of typing: {operations}", lambda: set(operations) <= set(self.operations))


def run_channel():
    """The details and the settings of a channel."""
    alice = client_of("alice")
    # Without notifications, it disables their setting.
    screen = Terminal(notify=True)
    screen.see("All messages", "design")
    screen.press("q", *"design", ENTER, "i")
    screen.see("Stream Details", "Stream email", "Press 'c' to copy")
    screen.press(DOWN, DOWN, DOWN)
    # From the last one upwards.
    for name in ("desktop_notifications", "pin_to_top", "is_muted"):
        screen.press(" ")
        eventually(f"sets {name}", lambda: setting_of(alice, name) is True)
        screen.press(" ")
        eventually(f"clears {name}", lambda: setting_of(alice, name) is False)
        screen.press(UP)
    screen.press("m")
    screen.see("Stream Members", "Bob Fischer")
    screen.press(ESCAPE, ESCAPE)
    screen.end()


def setting_of(client, name):
    found = client.get_subscriptions()["subscriptions"]
    return next(one[name] for one in found if one["name"] == "design")


def main():
    for session in (run_session, run_actions, run_direct_messages, run_channel):
        run(session)
    print("The session is complete.")


def run(session):
    for attempts_left in (2, 1, 0):
        for file in folder.glob("zulip-terminal-*.log"):
            file.unlink()
        try:
            return session()
        except SessionFailed as failure:
            # Its threads change lists while the library of its screen draws them, which ends the program.
            if attempts_left == 0 or "ListBoxError" not in str(failure):
                sys.exit(str(failure))


main()
