import { randomBytes } from 'node:crypto';
import { type Actor, type DemoApi, granted, type Person, refused } from './demo-api.js';
import { DemoMismatch, type DemoPrinter } from './demo-printer.js';

/** Of a list of channels. */
interface Channel {
  readonly name: string;
  readonly is_default?: boolean;
}

/** A member cannot create an account; an administrator can, and deactivates it. */
export async function showNewAccount(
  api: DemoApi,
  printer: DemoPrinter,
  { member, admin }: { readonly member: Actor; readonly admin: Actor },
): Promise<void> {
  const newcomer = {
    email: `nina-${randomBytes(6).toString('hex')}@demo.carillon.test`,
    password: randomBytes(18).toString('base64url'),
    full_name: 'Nina Berg',
  };
  printer.section(
    `${member.name} cannot create an account`,
    'A new colleague starts today. Only administrators can create accounts, which is checked before everything else.',
  );
  await api.call(member, ['POST', '/users'], newcomer, {
    status: 400,
    body: { code: 'UNAUTHORIZED_PRINCIPAL', msg: 'Must be an organization administrator' },
    promise: `${member.name} is refused`,
  });
  printer.seen(`${member.name} is refused.`);

  printer.section(
    `${admin.name}, an administrator, creates it`,
    'The same request. The password must be hard to guess.',
  );
  const expected = granted('The account is made');
  const { user_id: userId } = await api.call(admin, ['POST', '/users'], newcomer, expected);

  printer.section('Nina signs in', 'The gateway returns her API key for her password.');
  const nina = await api.signIn(newcomer);
  if (nina.userId !== userId) {
    throw new DemoMismatch(`The new account is ${String(userId)}`, String(nina.userId));
  }
  await showSubscriptions(api, printer, nina);
  await showDeactivation(api, printer, admin, { ...nina, password: newcomer.password });
}

async function showSubscriptions(api: DemoApi, printer: DemoPrinter, nina: Person): Promise<void> {
  printer.section('Nina has default channels', 'New users are subscribed to the default channels.');
  const listed = await api.ask(nina, ['GET', '/streams'], { include_default: 'true' });
  const defaults = channelsOf(listed.body['streams']).filter((channel) => channel.is_default);
  const route = ['GET', '/users/me/subscriptions'] as const;
  const body = await api.call(nina, route, {}, granted('The subscriptions can be listed'));
  const names = channelsOf(body['subscriptions']).map(({ name }) => name);
  printer.screen(
    'On Nina’s screen',
    names.map((name) => `#${name}`),
  );
  const missing = defaults.find(({ name }) => !names.includes(name));
  if (missing !== undefined || defaults.length === 0) {
    const wanted = defaults.map(({ name }) => name).join(', ');
    throw new DemoMismatch(`Nina is in the default channels: ${wanted}`, names.join(', '));
  }
  printer.seen('She is subscribed to every default channel.');
}

async function showDeactivation(
  api: DemoApi,
  printer: DemoPrinter,
  admin: Actor,
  nina: Person & { readonly password: string },
): Promise<void> {
  printer.section(
    `${admin.name} deactivates the account`,
    'The messages of the owner would stay. Signing in ends immediately, by API key and by password.',
  );
  const route = ['DELETE', `/users/${nina.userId}`] as const;
  await api.call(admin, route, {}, granted('The account can be deactivated'));
  await api.call(
    nina,
    ['GET', '/users/me'],
    {},
    refused(401, 'Account is deactivated', 'The key of a deactivated account is refused'),
  );
  await api.call(
    { ...nina, apiKey: null },
    ['POST', '/fetch_api_key'],
    { username: nina.email, password: nina.password },
    {
      status: 401,
      body: { code: 'USER_DEACTIVATED' },
      promise: 'The password of a deactivated account is refused',
    },
  );
  printer.seen('Nina’s API key and password are refused.');
}

// The contract's format of a channel; no list where a call was refused.
const channelsOf = (list: unknown): readonly Channel[] => (list ?? []) as readonly Channel[];
