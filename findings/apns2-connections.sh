#!/usr/bin/env bash
# apns2 sends one push at a time on each connection, although its pool asks for 100 streams: 64 pushes open 32 connections.
source "$(dirname "${BASH_SOURCE[0]}")/support/setup.bash"
install apns2@12.2.0 undici@7.30.0
certificate
cat >find.mjs <<'JS'
import { Notification } from 'apns2';
import { apns2At, iphone, respond, serveHttp2 } from './provider.mjs';
import { seen } from './seen.mjs';

const PUSHES = 64;
const open = new Map();
let most = 0;
const { port, sessions } = await serveHttp2(
  (stream) => {
    const { session } = stream;
    const count = (open.get(session) ?? 0) + 1;
    open.set(session, count);
    most = Math.max(most, count);
    setTimeout(() => {
      open.set(session, open.get(session) - 1);
      respond(stream, 200);
    }, 300);
  },
  { maxConcurrentStreams: 1000 },
);
const client = await apns2At(port);
const notes = Array.from({ length: PUSHES }, (_, number) => new Notification(iphone(number + 1), { alert: 'Hello' }));
const results = await client.sendMany(notes);
seen('accepted', results.filter((one) => !('error' in one)).length, PUSHES);
seen('connections', sessions.length, 32);
seen('most pushes at a time on one connection', most, 1);
process.exit();
JS
node find.mjs
