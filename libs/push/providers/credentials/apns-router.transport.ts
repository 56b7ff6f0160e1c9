import { hash } from 'node:crypto';
import type { ApnsEnvironment } from '#push/jobs';
import { withinDeadline } from '#platform/core';
import type { ApnsApp, ApnsSignIn } from '../apns/apns-credential.js';
import { isTopic } from '../apns/apns-payload.rules.js';
import { outcomeOf } from '../outcomes.rules.js';
import { type ProviderAnswer } from '../transport/provider-answer.rules.js';
import {
  NO_CREDENTIAL,
  type OutgoingPush,
  type PushTransport,
} from '../transport/push-transport.js';
import { digestOf, nameOf } from './credential-check.rules.js';
import { RetiredTransports } from './replaceable.transport.js';

/** The connections to one environment of Apple with one credential. */
interface Route {
  readonly environment: ApnsEnvironment;
  readonly credential: string;
  readonly transport: PushTransport;
}

/** The length of the digest that names an unconfigured topic. */
const DIGEST_DIGITS = 12;

/** Opens the transport of a route. */
export type OpenApnsConnections = (
  signIn: ApnsSignIn,
  environment: ApnsEnvironment,
) => PushTransport;

/**
 * Sends each push with the credential of its topic to the environment of its device. If the environment is
 * unknown, the environments are tried in the configured order: the second one only when the first does not know the
 * device. The answer then names the environment, so that it can be stored.
 *
 * Both attempts share one deadline.
 */
export class ApnsRouter implements PushTransport {
  readonly #retired = new RetiredTransports();
  #open: ReadonlyMap<string, Route> = new Map();
  #routes: ApnsRoutes<Route> = { named: new Map(), others: [] };

  constructor(
    private readonly openConnections: OpenApnsConnections,
    private readonly deadlineMs: number,
  ) {}

  /**
   * Sends for these apps from now on. Connections with an unchanged credential stay open; those that are no
   * longer needed end with their last answer.
   */
  use(apps: readonly ApnsApp[]): void {
    const open = new Map<string, Route>();
    const named = new Map<string, Route[]>();
    const others: Route[] = [];
    for (const { topics, environments, signIn } of apps) {
      const own = environments.map((environment) => this.#routeOf(signIn, environment, open));
      if (topics === null) others.push(...own);
      for (const topic of topics ?? []) named.set(topic, [...(named.get(topic) ?? []), ...own]);
    }
    const unused = [...this.#open].filter(([id]) => !open.has(id));
    this.#open = open;
    this.#routes = { named, others };
    for (const [, { transport }] of unused) this.#retired.retire(transport);
  }

  async send(push: OutgoingPush): Promise<ProviderAnswer> {
    const { appId, environment: known } = push;
    if (appId === null) return { kind: 'unsendable', reason: 'MissingTopic' };
    if (!isTopic(appId)) return { kind: 'unsendable', reason: 'BadTopic' };
    const [first, ...more] = routesFor(this.#routes, appId, known);
    if (first === undefined) return noCredentialFor(appId, known);
    const startedAt = performance.now();
    const answer = await first.transport.send(push);
    if (known !== null || more.length === 0) return answer;
    if (answer.kind === 'accepted') return { ...answer, environment: first.environment };
    if (!isUnknownDevice(answer)) return answer;
    // Looked up again: the credentials may have been replaced during the first attempt.
    const second = routesFor(this.#routes, appId, null).find(
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
    return routesFor(this.#routes, appId ?? '', environment)[0]?.credential ?? NO_CREDENTIAL;
  }

  /**
   * Clients may register any topic, and Apple's answers about a made-up one must not block the others. Topics
   * without a credential share one name: nothing is sent for them.
   */
  unconfiguredTopicOf(push: OutgoingPush): string | null {
    const topic = push.appId ?? '';
    if (this.#routes.named.has(topic)) return null;
    if (this.credentialOf(push) === NO_CREDENTIAL) return 'any';
    return hash('sha256', topic).slice(0, DIGEST_DIGITS);
  }

  async close(): Promise<void> {
    this.use([]);
    await this.#retired.closed();
  }

  /** Reuses the route of the same credential and environment, if there is one. */
  #routeOf(signIn: ApnsSignIn, environment: ApnsEnvironment, open: Map<string, Route>): Route {
    const id = `${environment} ${digestOf(signIn)}`;
    const route = open.get(id) ??
      this.#open.get(id) ?? {
        environment,
        credential: `${nameOf(signIn)}:${environment}`,
        transport: this.openConnections(signIn, environment),
      };
    open.set(id, route);
    return route;
  }
}

function noCredentialFor(topic: string, known: ApnsEnvironment | null): ProviderAnswer {
  const where = known === null ? '' : ` in the environment ${known}`;
  return { kind: 'misconfigured', reason: `no credential for the topic ${topic}${where}` };
}

/** A credential in one of Apple's environments. */
interface ApnsRoute {
  readonly environment: ApnsEnvironment;
}

/** Routes by topic; `others` are for all topics without an entry. */
interface ApnsRoutes<R extends ApnsRoute> {
  readonly named: ReadonlyMap<string, readonly R[]>;
  readonly others: readonly R[];
}

/**
 * The routes for a push, in the order to try them. A topic with an entry uses only that entry; a known environment
 * excludes the other one.
 */
export function routesFor<R extends ApnsRoute>(
  { named, others }: ApnsRoutes<R>,
  topic: string,
  known: ApnsEnvironment | null,
): readonly R[] {
  const routes = named.get(topic) ?? others;
  return known === null ? routes : routes.filter(({ environment }) => environment === known);
}

/** Whether Apple does not know the device in this environment: it may belong to the other one. */
export const isUnknownDevice = (answer: ProviderAnswer): boolean =>
  answer.kind === 'refused' && answer.status === 400 && answer.reason === 'BadDeviceToken';

/**
 * The answer about a device that the first environment does not know. A temporary answer of the second one leads to
 * a retry; any other one leaves the token invalid.
 */
export function answerOfBoth(first: ProviderAnswer, second: ProviderAnswer): ProviderAnswer {
  switch (second.kind) {
    case 'misconfigured':
    case 'unsendable':
      return first;
    case 'refused':
      // 410 has the time since when the token is dead.
      return second.status === 410 || outcomeOf('apns', second).kind === 'retry' ? second : first;
    default:
      return second;
  }
}
