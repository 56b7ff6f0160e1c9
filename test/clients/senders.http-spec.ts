import { spawn, spawnSync } from 'node:child_process';
import { env } from 'node:process';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { childEnvironment } from '#platform/config';
import { useGateway } from '#test/start-gateway';

/** Programs that send messages, and the packages that they need: docs/testing.md. */
const has = (command: string, ...args: readonly string[]): boolean =>
  spawnSync(command, args, { stdio: 'ignore' }).status === 0;
/** The Python with apprise: the package of Debian belongs to the Python of Debian, which may not be the first in the path. */
const python = [env['CLIENTS_PYTHON'] ?? 'python3', '/usr/bin/python3'].find((command) =>
  has(command, '-c', 'import apprise'),
);
const BRIDGE = '/usr/share/php/Symfony/Component/Notifier/Bridge/Zulip/autoload.php';
const n8nModules = env['N8N_MODULES_DIR'];

const withApprise = python === undefined ? describe.skip : describe;
const withSymfony = has('php', '-r', `require '${BRIDGE}';`) ? describe : describe.skip;
const withN8n = n8nModules === undefined ? describe.skip : describe;

/** The account that the programs use. Apprise makes the address of its name and its host. */
const HOST = 'senders.carillon.test';
const EMAIL = `alerts-bot@${HOST}`;

const system = useGateway({});
let key: string;

beforeAll(async () => {
  const admin = system.api('admin');
  const person = { email: EMAIL, password: 'senders-password-1', full_name: 'Alerts' };
  await admin.post('/users', person);
  const { body } = await system
    .anonymous()
    .post('/fetch_api_key', { username: EMAIL, password: person.password });
  key = String(body['api_key']);
});

/** Runs a program with an input; resolves with its output. */
function run(command: string, args: readonly string[], input: unknown): Promise<string> {
  const program = spawn(command, args, { env: childEnvironment({}) });
  let output = '';
  for (const stream of [program.stdout, program.stderr]) {
    stream.on('data', (chunk: Buffer) => {
      output += chunk.toString();
    });
  }
  program.stdin.end(JSON.stringify(input));
  return new Promise((resolve, reject) => {
    program.on('error', reject);
    program.on('close', (code) => (code === 0 ? resolve(output) : reject(new Error(output))));
  });
}

/** The newest messages of the account, the last one first. */
async function newest(count: number) {
  const found = await system.database.database.prisma.message.findMany({
    where: { sender: { email: EMAIL } },
    orderBy: { id: 'desc' },
    take: count,
    include: { channel: true },
  });
  return found.map(({ topic, content, channel }) => ({
    topic,
    content,
    channel: channel?.name ?? null,
  }));
}

const LONG_TOPIC = 'x'.repeat(61);
const LONG_TEXT = 'x'.repeat(12_000);
const shortened = {
  topic: `${'x'.repeat(57)}...`,
  content: `${'x'.repeat(9980)}\n[message truncated]`,
};

withApprise('apprise (skipped without the Python package)', () => {
  const notify = (targets: string, notification: object) => {
    const script = 'test/clients/apprise-sender.py';
    return run(String(python), [script, system.gatewayUrl, HOST, key, targets], notification);
  };

  it('sends to channels and people', async () => {
    const given = { title: 'Backup', body: 'It is **done**, äöü 🎉' };
    const targets = `general/${encodeURIComponent(system.user('alice').email)}`;
    expect(await notify(targets, given)).toContain('sent');
    // Apprise sends in any order.
    expect(new Set(await newest(2))).toEqual(
      new Set([
        { topic: '', content: given.body, channel: null },
        { topic: given.title, content: given.body, channel: 'general' },
      ]),
    );
  });

  it('sends a title and a body that are too long', async () => {
    expect(await notify('general', { title: LONG_TOPIC, body: LONG_TEXT })).toContain('sent');
    expect(await newest(1)).toMatchObject([shortened]);
  });

  it('learns of a channel that does not exist', async () => {
    const sent = notify('nowhere', { title: 'x', body: 'x' });
    await expect(sent).rejects.toThrow('apprise reports a failure');
  });
});

withSymfony('The notifier bridge of Symfony (skipped without its Debian package)', () => {
  const notify = (channel: string, message: object) => {
    const { hostname, port } = new URL(system.gatewayUrl);
    const script = 'test/clients/symfony-sender.php';
    return run('php', [script, hostname, port, EMAIL, key, channel], message);
  };

  it('sends to channels and people, also what is too long', async () => {
    expect(await notify('general', { topic: 'deploy', content: 'Done & dusted' })).toMatch(
      /^\d+\n/,
    );
    expect(await notify('general', { topic: LONG_TOPIC, content: LONG_TEXT })).toMatch(/^\d+\n/);
    const recipient = system.user('alice').email;
    expect(await notify('general', { recipient, content: 'Hello' })).toMatch(/^\d+\n/);
    expect(await newest(3)).toEqual([
      { topic: '', content: 'Hello', channel: null },
      { ...shortened, channel: 'general' },
      { topic: 'deploy', content: 'Done & dusted', channel: 'general' },
    ]);
  });

  it('shows the refusal', async () => {
    expect(await notify('nowhere', { topic: 'x', content: 'x' })).toContain(
      `"Channel 'nowhere' does not exist" (STREAM_DOES_NOT_EXIST)`,
    );
  });
});

withN8n('The node of n8n (skipped unless N8N_MODULES_DIR has n8n-nodes-base)', () => {
  const execute = async (...parameters: readonly object[]) => {
    const { email, api_key: adminKey } = system.user('admin');
    const script = 'test/clients/n8n-node.cjs';
    const args = [script, String(n8nModules), system.gatewayUrl, email, adminKey];
    return JSON.parse(await run(process.execPath, args, parameters)) as Record<string, unknown>[][];
  };
  const message = (operation: string, fields: object) => ({
    resource: 'message',
    operation,
    ...fields,
  });

  it('sends, changes, reads and deletes messages', async () => {
    const stream = system.demo.channels['general'];
    const [sent, direct] = await execute(
      message('sendStream', { stream, topic: LONG_TOPIC, content: LONG_TEXT }),
      message('sendPrivate', { to: [system.user('alice').email], content: 'Hello' }),
    );
    const messageId = sent?.[0]?.['id'];
    expect(sent).toMatchObject([{ result: 'success', id: expect.any(Number) }]);
    expect(direct).toMatchObject([{ result: 'success', id: expect.any(Number) }]);
    const updateFields = { content: 'New', topic: 'moved', propagateMode: 'changeAll' };
    expect(
      await execute(
        message('get', { messageId }),
        message('update', { messageId, updateFields }),
        message('get', { messageId }),
        message('delete', { messageId }),
      ),
    ).toMatchObject([
      [{ raw_content: shortened.content, message: { subject: shortened.topic } }],
      [{ result: 'success' }],
      [{ raw_content: 'New', message: { subject: 'moved' } }],
      [{ result: 'success' }],
    ]);
  });

  it('lists and changes channels and accounts', async () => {
    const email = `n8n@${HOST}`;
    const [created, listed, subscribed, made, members] = await execute(
      {
        resource: 'stream',
        operation: 'create',
        jsonParameters: false,
        subscriptions: { properties: [{ name: 'of n8n', description: 'Made by a workflow' }] },
        additionalFields: { announce: true },
      },
      { resource: 'stream', operation: 'getAll', additionalFields: { includePublic: true } },
      { resource: 'stream', operation: 'getSubscribed', additionalFields: {} },
      {
        resource: 'user',
        operation: 'create',
        email,
        password: 'n8n-password-1',
        fullName: 'Nat',
        shortName: 'nat',
      },
      {
        resource: 'user',
        operation: 'getAll',
        additionalFields: { includeCustomProfileFields: true },
      },
    );
    expect(created).toMatchObject([{ result: 'success' }]);
    const named = expect.objectContaining({ name: 'of n8n' });
    expect(listed).toEqual(expect.arrayContaining([named]));
    expect(subscribed).toEqual(expect.arrayContaining([named]));
    expect(made).toMatchObject([{ result: 'success', user_id: expect.any(Number) }]);
    expect(members).toEqual(expect.arrayContaining([expect.objectContaining({ email })]));
    const userId = made?.[0]?.['user_id'];
    expect(
      await execute(
        { resource: 'user', operation: 'get', userId, additionalFields: {} },
        { resource: 'user', operation: 'deactivate', userId },
      ),
    ).toMatchObject([[{ user: { full_name: 'Nat' } }], [{ result: 'success' }]]);
  });
});
