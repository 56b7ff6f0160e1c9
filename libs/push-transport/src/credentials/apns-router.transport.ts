import { createHash } from 'node:crypto';
import type { ApnsEnvironment } from '#contracts';
import type { OutgoingPush, ProviderAnswer, PushTransport } from '../transport/push-transport.js';
import { NO_CREDENTIAL } from '../transport/unconfigured.transport.js';
import { isTopic } from '../apns/apns-headers.rules.js';
import { withinDeadline } from '#core';
import type { ApnsApp, ApnsSignIn } from './apns-app.js';
import { type ApnsWays, answerOfBoth, isUnknownThere, waysToTry } from './apns-ways.rules.js';
import { digestOf, nameOf } from './credential-check.rules.js';
import { RetiredTransports } from './retired-transports.js';

/** Connections to one environment of Apple's that are signed in with one credential. */
interface Line {
  readonly environment: ApnsEnvironment;
  readonly credential: string;
  readonly transport: PushTransport;
}

/** Of the digest that a foreign topic is called by. */
const DIGEST_DIGITS = 12;

/** Opens the connections of a line. */
export type OpenApnsLine = (signIn: ApnsSignIn, environment: ApnsEnvironment) => PushTransport;

/**
 * Sends each push by the credential of its topic, in the environment of its device. Where that is not known
 * the environments are tried in the order configured, the second one only when the first does not know the
 * device; the answer tells which one took it, so that it is known from then on.
 *
 * A push is answered within the deadline, also one that is tried twice.
 */
export class ApnsRouter implements PushTransport {
  readonly #retired = new RetiredTransports();
  #lines: ReadonlyMap<string, Line> = new Map();
  #ways: ApnsWays<Line> = { named: new Map(), others: [] };

  constructor(
    private readonly open: OpenApnsLine,
    private readonly deadlineMs: number,
  ) {}

  /**
   * Sends for these apps from now on. Lines whose credential has stayed the same go on; others are opened
   * anew, and those that are no longer needed end with their last answer.
   */
  use(apps: readonly ApnsApp[]): void {
    const lines = new Map<string, Line>();
    const named = new Map<string, Line[]>();
    const others: Line[] = [];
    for (const { topics, environments, signIn } of apps) {
      const own = environments.map((environment) => this.#lineOf(signIn, environment, lines));
      if (topics === null) others.push(...own);
      for (const topic of topics ?? []) named.set(topic, [...(named.get(topic) ?? []), ...own]);
    }
    const gone = [...this.#lines].filter(([id]) => !lines.has(id));
    this.#lines = lines;
    this.#ways = { named, others };
    for (const [, { transport }] of gone) this.#retired.retire(transport);
  }

  async send(push: OutgoingPush): Promise<ProviderAnswer> {
    const { appId, environment: known } = push;
    if (appId === null) return { kind: 'unsendable', reason: 'MissingTopic' };
    if (!isTopic(appId)) return { kind: 'unsendable', reason: 'BadTopic' };
    const [first, ...more] = waysToTry(this.#ways, appId, known);
    if (first === undefined) return noCredentialFor(appId, known);
    const startedAt = performance.now();
    const answer = await first.transport.send(push);
    if (known !== null || more.length === 0) return answer;
    if (answer.kind === 'accepted') return { ...answer, environment: first.environment };
    if (!isUnknownThere(answer)) return answer;
    // Asked anew: the credentials may have changed meanwhile.
    const second = waysToTry(this.#ways, appId, null).find(
      ({ environment }) => environment !== first.environment,
    );
    if (second === undefined) return answer;
    const remainingMs = this.deadlineMs - (performance.now() - startedAt);
    const other = await withinDeadline<ProviderAnswer>(
      remainingMs,
      second.transport.send(push),
      () => ({ kind: 'unanswered', reason: 'deadline' }),
    );
    return answerOfBoth(
      answer,
      other.kind === 'accepted' ? { ...other, environment: second.environment } : other,
    );
  }

  credentialOf({ appId, environment }: OutgoingPush): string {
    return waysToTry(this.#ways, appId ?? '', environment)[0]?.credential ?? NO_CREDENTIAL;
  }

  /**
   * A phone may register any topic. What Apple says of one that the configuration does not name must not
   * hold up the others. Topics without any credential share one name: nothing is sent for them.
   */
  foreignTopicOf(push: OutgoingPush): string | null {
    const topic = push.appId ?? '';
    if (this.#ways.named.has(topic)) return null;
    if (this.credentialOf(push) === NO_CREDENTIAL) return 'any';
    return createHash('sha256').update(topic).digest('hex').slice(0, DIGEST_DIGITS);
  }

  async close(): Promise<void> {
    this.use([]);
    await this.#retired.closed();
  }

  /** The line in the making, the present one when it is the same, or a new one. */
  #lineOf(signIn: ApnsSignIn, environment: ApnsEnvironment, lines: Map<string, Line>): Line {
    const id = `${environment} ${digestOf(signIn)}`;
    const line = lines.get(id) ??
      this.#lines.get(id) ?? {
        environment,
        credential: `${nameOf(signIn)}:${environment}`,
        transport: this.open(signIn, environment),
      };
    lines.set(id, line);
    return line;
  }
}

function noCredentialFor(topic: string, known: ApnsEnvironment | null): ProviderAnswer {
  const where = known === null ? '' : ` in the environment ${known}`;
  return { kind: 'misconfigured', reason: `no credential for the topic ${topic}${where}` };
}
