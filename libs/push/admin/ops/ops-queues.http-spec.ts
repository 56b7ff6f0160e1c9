import { describe, expect, it } from '@jest/globals';
import { queueNames } from '#push/jobs';
import { OpsApp } from '#test/ops-app';
import { useFixture } from '#test/use-fixture';

describe('the queues of the ops page', () => {
  const sut = useFixture(() => OpsApp.start());

  it('are shown by Bull Board without resources from other servers', async () => {
    const page = await sut.get('/ops/queues');
    expect(page.status).toBe(200);
    expect(page.text).toContain('<base href="/ops/queues/" />');
    expect(page.text).not.toMatch(/(?:src|href)="(?:https?:)?\/\//);
    expect(page.text).not.toContain('<%');
    const files = [...page.text.matchAll(/(?:src|href)="(static\/[^"]+)"/g)].map(
      ([, file]) => file,
    );
    expect(files.length).toBeGreaterThan(3);
    for (const file of files) {
      const reply = await sut.get(`/ops/queues/${file}`);
      expect(reply).toMatchObject({
        status: 200,
        headers: { 'cache-control': 'private, max-age=86400' },
      });
    }
    expect((await sut.get('/ops/queues/static/..%2f..%2fpackage.json')).status).toBe(404);
  });

  it('are all shown, read-only', async () => {
    const { body } = await sut.get('/ops/queues/api/queues');
    const queues = body['queues'] as { name: string; readOnlyMode: boolean }[];
    expect(queues.map(({ name }) => name)).toEqual([...queueNames]);
    expect(queues.every(({ readOnlyMode }) => readOnlyMode)).toBe(true);
  });

  it.each([
    ['POST', 'push-apns/add'],
    ['PUT', 'push-apns/pause'],
    ['PUT', 'push-apns/empty'],
    ['PUT', 'push-apns/obliterate'],
    ['PUT', 'pause'],
  ])('have no route for %s %s', async (method, path) => {
    const { cookie, proof } = await sut.signIn();
    const headers = { cookie, 'x-xsrf-token': proof };
    const reply = await sut.send(`/ops/queues/api/queues/${path}`, { method, headers });
    // Some of these paths show a job with GET.
    expect([404, 405]).toContain(reply.status);
  });
});
