/**
 * A distributor of UnifiedPush over XMPP: `node unifiedpush-distributor.mjs <node_modules> <port>`, with @xmpp/client.
 * It registers an endpoint at the server, and sends it to its parent; then each push, in base64. After the message
 * `unregister` it knows no such registration any more; after `leave` it is not there.
 */
import { createHash } from 'node:crypto';
import path from 'node:path';
import process, { argv, exit } from 'node:process';
import { pathToFileURL } from 'node:url';

const NAMESPACE = 'http://gultsch.de/xmpp/drafts/unified-push';
const DOMAIN = 'localhost';

const [modules, port] = argv.slice(2);
const { client, xml } = await import(
  pathToFileURL(path.join(modules, '@xmpp', 'client', 'index.js')).href
);
const sha256 = (text) => createHash('sha256').update(text).digest('base64');
const registration = { application: sha256('org.example.chat'), instance: sha256('ada') };
let isRegistered = true;

const account = { username: 'ada', password: 'secret', domain: DOMAIN };
const connection = client({ service: `xmpp://127.0.0.1:${port}`, ...account });
connection.on('error', () => exit(1));
connection.iqCallee.set(NAMESPACE, 'push', ({ element }) => {
  if (!isRegistered) {
    const condition = xml('item-not-found', 'urn:ietf:params:xml:ns:xmpp-stanzas');
    return xml('error', { type: 'cancel' }, condition);
  }
  process.send({ push: element.getText(), ...element.attrs });
  return true;
});
await connection.start();
const request = xml('register', { xmlns: NAMESPACE, ...registration });
const answer = await connection.iqCaller.request(xml('iq', { type: 'set', to: DOMAIN }, request));
process.on('message', async (order) => {
  if (order === 'unregister') isRegistered = false;
  else await connection.stop();
  process.send({ done: order });
});
process.on('disconnect', () => exit(0));
process.send({ registered: answer.getChild('registered', NAMESPACE).attrs });
