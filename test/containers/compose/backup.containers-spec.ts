import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { hasEngine, showProgress } from '../engine.js';
import { Installation, type Person } from './installation.js';

jest.setTimeout(1_200_000);

(hasEngine() ? describe : describe.skip)('A backup with Docker Compose', () => {
  let installation: Installation;

  showProgress();
  beforeAll(async () => {
    installation = await Installation.open();
  });
  afterAll(() => installation?.remove());

  const say = async ({ id, api }: Person, content: string) =>
    String((await api.post('/messages', { type: 'direct', to: [id], content })).body['id']);

  const documented = (containing: string) => installation.documented(containing, 'Backups');

  it('restores messages, keys and files by the documented commands', async () => {
    const ada = await installation.addPerson('Ada');
    const kept = await say(ada, 'In the backup');
    const file = await installation.upload(ada, 'A file of the backup');
    await installation.run(documented('exec -T postgres pg_dump'), 'The backup');
    const lost = await say(ada, 'After the backup');

    // The worker of the sandbox is one of the push workers.
    const stop = documented('stop proxy').trim();
    await installation.run(`${stop} && docker compose stop push-worker-sandbox`);
    await installation.compose('run --rm -T --no-deps api-gateway rm -r .data/uploads/files');
    await installation.run(documented('exec -T postgres pg_restore'), 'The restoration');
    await installation.run(documented('exec -T redis'));
    await installation.run(installation.documented('--profile sandbox'), 'The start');

    expect(await ada.api.get(`/messages/${kept}`)).toMatchObject({
      body: { raw_content: 'In the backup' },
    });
    expect(await ada.api.get(`/messages/${lost}`)).toMatchObject({ status: 400 });
    expect(await say(ada, 'Again')).toBe(lost);
    expect(await installation.readFile(ada, file)).toBe('A file of the backup');
  });

  it('restores into an installation without volumes', async () => {
    const ada = await installation.addPerson('Ada');
    const kept = await say(ada, 'In the other backup');
    const file = await installation.upload(ada, 'A file of the other backup');
    await installation.run(documented('exec -T postgres pg_dump'), 'The backup');
    await installation.compose('down --volumes');

    await installation.run(documented('--wait postgres redis'), 'The stores');
    await installation.run(documented('exec -T postgres pg_restore'), 'The restoration');
    await installation.run(documented('DELETE FROM event_queues'));
    await installation.run(installation.documented('--profile sandbox'), 'The start');

    expect(await ada.api.get(`/messages/${kept}`)).toMatchObject({
      body: { raw_content: 'In the other backup' },
    });
    expect(await installation.readFile(ada, file)).toBe('A file of the other backup');
  });
});
