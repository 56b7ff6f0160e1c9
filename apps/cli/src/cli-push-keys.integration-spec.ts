import { describe, expect, it } from '@jest/globals';
import { RecordingTerminal } from '#test/recording-terminal';
import { useOperatedWorld } from '#test/push-operate-world';
import { CommandLine } from './cli-command-line.fixture.js';
import { runCommandLine } from './run-command-line.js';

const world = useOperatedWorld();
const sut = new CommandLine(world);

interface KeyJson {
  readonly public_key: string;
}

const list = async () => ((await sut.json('push-keys list')) as { keys: KeyJson[] }).keys;
const add = async () => ((await sut.json('push-keys add')) as KeyJson).public_key;

describe('carillon push-keys', () => {
  it('says what to do without a key', async () => {
    expect(await list()).toEqual([]);
    expect((await sut.run('push-keys list')).output).toContain('carillon push-keys add');
  });

  it('makes keys of 32 bytes, and lists the newest first', async () => {
    const [first, second] = [await add(), await add()];
    expect(Buffer.from(first, 'base64')).toHaveLength(32);
    const created_at = expect.stringMatching(/Z$/);
    expect(await list()).toEqual([
      { public_key: second, created_at },
      { public_key: first, created_at },
    ]);
    expect((await sut.run('push-keys list')).output).toContain(first);
  });

  it('removes a key after a confirmation', async () => {
    const key = await add();
    expect(await sut.run(`push-keys remove ${key}`)).toMatchObject({ exitCode: 2 });
    expect((await list()).map(({ public_key }) => public_key)).toContain(key);
    expect(await sut.json(`push-keys remove ${key} --yes`)).toEqual({ removed: key });
    expect((await list()).map(({ public_key }) => public_key)).not.toContain(key);
    expect(await sut.failure(`push-keys remove ${key} --yes`)).toMatchObject({ code: 'not_found' });
  });

  it('makes no key without the secret', async () => {
    const terminal = new RecordingTerminal();
    const environment = { DATABASE_URL: world.databaseUrl, DATA_DIR: '/nowhere' };
    expect(await runCommandLine(['push-keys', 'add'], terminal, { environment })).toBe(1);
    expect(terminal.remarks).toContain('PUSH_KEY_SECRET');
  });
});
