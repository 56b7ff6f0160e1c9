import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type AddressInfo, createServer } from 'node:net';
import { once } from 'node:events';
import { mayBeShownAfter, outcomeOf } from '#push/providers';
import { FakePushService } from '#test/fake-push-service';
import { PushServiceClient } from './push-service-client.js';
import { type FailedAnswer, providerAnswerOf } from './service-answer.rules.js';

let service: FakePushService;

beforeEach(async () => {
  service = await FakePushService.start();
});
afterEach(() => service.stop());

async function failureOf(url = service.url, deadlineMs?: number): Promise<FailedAnswer> {
  const sut = new PushServiceClient({ ...service.settings, url });
  const answer = await sut.postJson('/push/notify', {}, deadlineMs);
  if (answer.kind === 'ok') throw new Error('expected a failure');
  return answer;
}

function outcomeAfter(failure: FailedAnswer) {
  const answer = providerAnswerOf(failure);
  if (answer.kind === 'withdrawn') throw new Error('Nothing was withdrawn');
  return outcomeOf('push service', answer);
}

describe(PushServiceClient.name, () => {
  it.each([
    ['a cut connection', { kind: 'cut' }, 'ConnectionError'],
    ['no answer in time', { kind: 'hang' }, 'ReadTimeout'],
  ] as const)(
    'does not know what became of a request that was sent: %s',
    async (_, given, fault) => {
      service.fault = () => given;
      const failure = await failureOf(service.url, 500);
      expect(failure).toEqual({ kind: 'unreachable', fault, wasSent: true });
      const outcome = outcomeAfter(failure);
      expect(outcome).toMatchObject({ class: 'unanswered', firstDelayMs: 10_000 });
      expect(mayBeShownAfter(outcome)).toBe(true);
    },
  );

  it('knows that nothing was sent to a service that is not there', async () => {
    await service.stop();
    const failure = await failureOf();
    await service.listen();
    expect(failure).toEqual({ kind: 'unreachable', fault: 'ConnectionError', wasSent: false });
    const outcome = outcomeAfter(failure);
    expect(outcome).toMatchObject({ class: 'connection', firstDelayMs: 1000 });
    expect(mayBeShownAfter(outcome)).toBe(false);
  });

  it('knows that nothing was sent before the handshake of TLS', async () => {
    const silent = createServer().listen(0, '127.0.0.1');
    await once(silent, 'listening');
    // A TCP server has an address of this form.
    const { port } = silent.address() as AddressInfo;
    const failure = await failureOf(`https://127.0.0.1:${port}`, 200);
    silent.close();
    expect(failure).toEqual({ kind: 'unreachable', fault: 'ReadTimeout', wasSent: false });
  });
});
