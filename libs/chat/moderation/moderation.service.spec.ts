import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Logger } from '@nestjs/common';
import type { Caller } from '#platform/contracts';
import { ModerationService } from './moderation.service.js';

type Given = ConstructorParameters<typeof ModerationService>;

/** A service whose reports fail with an error. */
function serviceThatFailsWith(failure: Error): ModerationService {
  const person = { id: 1, fullName: 'Ada', isSystemBot: false };
  const message = {
    id: 5,
    sender: person,
    sentAt: new Date(0),
    channel: null,
    topic: '',
    people: [person],
    content: 'x',
  };
  return new ModerationService(
    { find: () => Promise.resolve({ id: 2, topicsPolicy: 'inherit' }) } as unknown as Given[0],
    { require: () => Promise.resolve(message) } as unknown as Given[1],
    { requireVisible: () => Promise.resolve(person) } as unknown as Given[2],
    { notificationBot: () => Promise.resolve({ id: 3 }) } as unknown as Given[3],
    { sendAsServer: () => Promise.reject(failure) } as unknown as Given[4],
  );
}

describe(ModerationService.name, () => {
  const caller = { userId: 1, realm: { id: 1 } } as Caller;
  const input = { messageId: 5, type: 'spam', description: '' } as const;

  beforeAll(() => Logger.overrideLogger(false));
  afterAll(() => Logger.overrideLogger(true));

  it('passes an outage on, so that the client repeats the report', async () => {
    const outage = Object.assign(new Error('down'), { code: 'ECONNREFUSED' });
    await expect(serviceThatFailsWith(outage).report(caller, input)).rejects.toBe(outage);
  });

  it('refuses a report that cannot be sent', async () => {
    const report = serviceThatFailsWith(new Error('no')).report(caller, input);
    await expect(report).rejects.toMatchObject({
      error: { msg: 'Failed to send the message report.' },
    });
  });
});
