import { setTimeout as delay } from 'node:timers/promises';
import type { Actor, DemoApi } from './demo-api.js';
import type { Arrival, Inbox } from './inbox.js';
import { DemoMismatch, type DemoPrinter, shortened } from './demo-printer.js';

const ADD_DEVICE = ['POST', '/register_client_device'] as const;
const REGISTER = ['POST', '/mobile_push/register'] as const;
const SEND_TEST = ['POST', '/mobile_push/e2ee/test_notification'] as const;
const REMOVE_DEVICE = ['POST', '/remove_client_device'] as const;

const POLL_MS = 100;
const DEADLINE_MS = 20_000;

type Fields = Readonly<Record<string, string>>;

/** An app registers for encrypted notifications, and gets one that the provider cannot read. */
export async function showEncryptedPush(
  api: DemoApi,
  inbox: Inbox,
  printer: DemoPrinter,
  { owner, publicKey }: { readonly owner: Actor; readonly publicKey: string },
): Promise<void> {
  printer.section(
    `${owner.name} registers a phone for encrypted notifications`,
    'The app makes a push key, and seals its token to the key of the push service. The server stores the push key,\n' +
      'and knows the token by an id only; a job of the push worker opens the sealed token.',
  );
  const { token, registration } = await inbox.addEncryptedPhone(publicKey);
  const taken = { status: 200, promise: 'The gateway takes it' };
  const { device_id: id } = await api.call(owner, ADD_DEVICE, {}, taken);
  const device = { device_id: String(id) };
  await registerUnprinted(api, printer, owner, { ...device, ...registration });
  await untilRegistered(api, owner, device);
  printer.seen('The push service has the token.');

  printer.section(
    'An encrypted test notification',
    'The push worker encrypts the notification for this phone in the moment in which it sends it.',
  );
  const arrival = await inbox.nthOn(token, 1);
  showBothSides(printer, arrival);
  await api.call(owner, REMOVE_DEVICE, device, taken);
}

function showBothSides(printer: DemoPrinter, { payload, decrypted }: Arrival): void {
  const seen = JSON.stringify((payload['message'] as { data?: unknown } | undefined)?.data);
  const read = JSON.stringify(decrypted);
  printer.screen('Google sees', [shortened(seen)]);
  printer.screen('The phone reads', [read]);
  if (seen.includes('realm') || !seen.includes('encrypted_data')) {
    throw new DemoMismatch('Google sees only ciphertext', seen);
  }
  if (!read.includes('"type":"test"')) throw new DemoMismatch('The phone reads a test', read);
  printer.seen('Only the phone can read it.');
}

/** The push key is not printed. */
async function registerUnprinted(
  api: DemoApi,
  printer: DemoPrinter,
  owner: Actor,
  fields: Fields,
): Promise<void> {
  const printed = Object.entries(fields).map(([name, value]) => [
    name,
    name === 'push_key' ? '…' : shortened(value),
  ]);
  printer.request(owner.name, REGISTER, Object.fromEntries(printed));
  const { status, body } = await api.ask(owner, REGISTER, fields);
  printer.answer(status, body);
  if (status !== 200) throw new DemoMismatch('The registration is taken', JSON.stringify(body));
}

/** Sends a test notification as soon as the token is registered. */
async function untilRegistered(api: DemoApi, owner: Actor, device: Fields): Promise<void> {
  const deadline = performance.now() + DEADLINE_MS;
  while (performance.now() < deadline) {
    if ((await api.ask(owner, SEND_TEST, device)).status === 200) return;
    await delay(POLL_MS);
  }
  throw new DemoMismatch('The token is registered', `not within ${DEADLINE_MS / 1000} s`);
}
