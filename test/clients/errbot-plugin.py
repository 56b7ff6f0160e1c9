"""A plugin for errbot with what its own commands do not do: a file, and an answer that is too long for one message."""

import io

from errbot import BotPlugin, botcmd


class Extras(BotPlugin):
    @botcmd
    def file(self, message, args):
        content = io.BytesIO(b"soup")
        content.name = "soup.txt"
        self.send_stream_request(message.to, content, name="soup.txt", size=4)

    @botcmd
    def long(self, message, args):
        return "x" * 12_000
