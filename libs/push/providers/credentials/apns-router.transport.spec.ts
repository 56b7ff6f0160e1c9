import { describe, expect, it } from '@jest/globals';
import { RecordingTransport } from '#test/recording-transport';
import { type ProviderAnswer, refusal } from '../transport/provider-answer.rules.js';
import { type OutgoingPush } from '../transport/push-transport.js';
import type { ApnsApp, ApnsSignIn } from '../apns/apns-credential.js';
import { ApnsRouter } from './apns-router.transport.js';

/** Long, so that a busy machine does not take as long again. */
const DEADLINE_MS = 2000;

const keyOf = (name: string): ApnsSignIn => ({
  kind: 'token',
  key: `key of ${name}`,
  keyId: name,
  teamId: 'TEAM',
});
const appOf = (name: string, topics: string[] | null = [`org.example.${name}`]): ApnsApp => ({
  topics,
  environments: ['production', 'sandbox'],
  signIn: keyOf(name),
});
// The rest of a push says nothing to a router.
const pushTo = (topic: string | null, environment: OutgoingPush['environment'] = null) =>
  ({ appId: topic && `org.example.${topic}`, environment }) as OutgoingPush;

class ClosableTransport extends RecordingTransport {
  isClosed = false;

  override async close(): Promise<void> {
    await super.close();
    this.isClosed = true;
  }
}

/** A router, and every line that it has opened, by the name of the key and the environment. */
function routerOf(...apps: ApnsApp[]) {
  const opened: string[] = [];
  const lines = new Map<string, ClosableTransport>();
  const sut = new ApnsRouter((signIn, environment) => {
    const name = `${signIn.kind === 'token' ? signIn.keyId : ''} ${environment}`;
    const line = new ClosableTransport();
    opened.push(name);
    lines.set(name, line);
    return line;
  }, DEADLINE_MS);
  sut.use(apps);
  const lineOf = (name: string) => lines.get(name) ?? new ClosableTransport();
  return { sut, opened, lineOf };
}

const unknown = refusal({ status: 400, reason: 'BadDeviceToken' });

describe(ApnsRouter.name, () => {
  it('opens connections for each credential and environment, for any number of topics', () => {
    const { opened } = routerOf(
      appOf('a', ['org.example.a', 'org.example.b']),
      { ...appOf('a'), topics: ['org.example.c'] },
      appOf('d', null),
    );
    expect(opened).toEqual(['a production', 'a sandbox', 'd production', 'd sandbox']);
  });

  it('keeps the connections of unchanged credentials, and closes those of removed ones', async () => {
    const { sut, opened, lineOf } = routerOf(appOf('a'), appOf('b'));
    sut.use([appOf('a', ['org.example.a', 'org.example.z']), appOf('c')]);
    expect(opened.slice(4)).toEqual(['c production', 'c sandbox']);
    await sut.send(pushTo('z'));
    expect(lineOf('a production').sent).toHaveLength(1);
    await sut.close();
    expect(['a', 'b', 'c'].map((name) => lineOf(`${name} sandbox`).isClosed)).toEqual([
      true,
      true,
      true,
    ]);
  });

  it('closes connections only after their last answer', async () => {
    const { sut, lineOf } = routerOf(appOf('a'));
    let answer: (given: ProviderAnswer) => void = () => undefined;
    lineOf('a production').answerWith(
      () =>
        new Promise((resolve) => {
          answer = resolve;
        }),
    );
    const underWay = sut.send(pushTo('a', 'production'));
    sut.use([appOf('b')]);
    await Promise.resolve();
    expect(lineOf('a production').isClosed).toBe(false);
    expect(lineOf('a sandbox').isClosed).toBe(true);

    answer({ kind: 'accepted' });
    expect(await underWay).toEqual({ kind: 'accepted' });
    await sut.close();
    expect(lineOf('a production').isClosed).toBe(true);
  });

  it('tries the other environment with the credentials of that moment', async () => {
    const { sut, lineOf } = routerOf(appOf('a'));
    lineOf('a production').answerWith(() => {
      sut.use([{ ...appOf('b'), topics: ['org.example.a'] }]);
      return unknown;
    });
    expect(await sut.send(pushTo('a'))).toEqual({ kind: 'accepted', environment: 'sandbox' });
    expect(lineOf('b sandbox').sent).toHaveLength(1);
    expect(lineOf('a sandbox').sent).toHaveLength(0);
  });

  it('answers two attempts within one deadline', async () => {
    const { sut, lineOf } = routerOf(appOf('a'));
    lineOf('a production').answerWith(() => unknown);
    lineOf('a sandbox').answerWith(() => new Promise(() => undefined));
    const startedAt = performance.now();
    expect(await sut.send(pushTo('a'))).toEqual({ kind: 'unanswered', reason: 'deadline' });
    expect(performance.now() - startedAt).toBeLessThan(2 * DEADLINE_MS);
  });

  it('names the credential of a push, and has one name for all without a credential', () => {
    const { sut } = routerOf(appOf('a'));
    expect(sut.credentialOf(pushTo('a'))).toBe('TEAM/a:production');
    expect(sut.credentialOf(pushTo('a', 'sandbox'))).toBe('TEAM/a:sandbox');
    expect(sut.credentialOf(pushTo('b'))).toBe(sut.credentialOf(pushTo('c')));
  });

  it('separates unconfigured topics of one credential', () => {
    const { sut } = routerOf(appOf('a', null));
    const [b, c] = [pushTo('b'), pushTo('c')].map((push) => [
      sut.credentialOf(push),
      sut.unconfiguredTopicOf(push),
    ]);
    expect(b).toEqual(['TEAM/a:production', expect.stringMatching(/^[0-9a-f]{12}$/)]);
    expect(c).toEqual(['TEAM/a:production', expect.stringMatching(/^[0-9a-f]{12}$/)]);
    expect(b).not.toEqual(c);
  });

  it('treats a topic as unconfigured only if the configuration does not name it', () => {
    const { sut } = routerOf(appOf('a'), appOf('b'));
    expect(sut.unconfiguredTopicOf(pushTo('a'))).toBeNull();
    expect(sut.unconfiguredTopicOf(pushTo('c'))).toBe(sut.unconfiguredTopicOf(pushTo('d')));
  });

  it('does not send to an invalid topic', async () => {
    const { sut, lineOf } = routerOf(appOf('a', null));
    const push = pushTo('c'.repeat(66_000));
    expect(await sut.send(push)).toEqual({ kind: 'unsendable', reason: 'BadTopic' });
    expect(sut.unconfiguredTopicOf(push)).toHaveLength(12);
    expect(lineOf('a production').sent).toHaveLength(0);
  });

  it('does not send to a device without a topic', async () => {
    const { sut } = routerOf(appOf('a', null));
    expect(await sut.send(pushTo(null))).toEqual({ kind: 'unsendable', reason: 'MissingTopic' });
  });
});
