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

const list = async () => ((await sut.json('web-push-keys list')) as { keys: KeyJson[] }).keys;
const add = async () => ((await sut.json('web-push-keys add')) as KeyJson).public_key;

describe('carillon web-push-keys', () => {
  it('says what to do without a key', async () => {
    expect(await list()).toEqual([]);
    expect((await sut.run('web-push-keys list')).output).toContain('carillon web-push-keys add');
  });

  it('makes points of 65 bytes, and lists the newest first', async () => {
    const [first, second] = [await add(), await add()];
    expect(Buffer.from(first, 'base64url')).toHaveLength(65);
    const others = { id: expect.any(Number), created_at: expect.stringMatching(/Z$/) };
    expect(await list()).toEqual([
      { public_key: second, ...others },
      { public_key: first, ...others },
    ]);
    expect((await sut.run('web-push-keys list')).output).toContain(first);
  });

  it('removes a key after a confirmation', async () => {
    const key = await add();
    expect(await sut.run(`web-push-keys remove ${key}`)).toMatchObject({ exitCode: 2 });
    expect((await list()).map(({ public_key }) => public_key)).toContain(key);
    expect(await sut.json(`web-push-keys remove ${key} --yes`)).toEqual({ removed: key });
    expect((await list()).map(({ public_key }) => public_key)).not.toContain(key);
    for (const unknown of [key, 'no-key', 'ä']) {
      const failure = await sut.failure(`web-push-keys remove ${unknown} --yes`);
      expect(failure).toMatchObject({ code: 'not_found' });
    }
  });

  it('makes no key without the secret', async () => {
    const terminal = new RecordingTerminal();
    const environment = { DATABASE_URL: world.databaseUrl, DATA_DIR: '/nowhere' };
    expect(await runCommandLine(['web-push-keys', 'add'], terminal, { environment })).toBe(1);
    expect(terminal.remarks).toContain('PUSH_KEY_SECRET');
  });
});
