import type { Fields } from './api-client.js';
import type { EventClient, ReceivedEvent } from './event-client.js';
import { freePorts } from './free-ports.js';
import { holdPolls } from './held-polls.js';
import type { Reply } from './http-request.js';
import { addOrganisation, type Organisation, type Person } from './organisation.js';
import { startSystem, type System } from './start-system.js';
import { ThrowawayRedis } from './throwaway-redis.js';

/** Two gateways with a Redis of their own, and an organisation. */
export class TwoGateways {
  private constructor(
    readonly redis: ThrowawayRedis,
    readonly system: System,
    readonly otherUrl: string,
    readonly organisation: Organisation,
    private readonly metricsPort: string,
    private readonly otherMetricsPort: string,
  ) {}

  static async start(): Promise<TwoGateways> {
    const redis = await ThrowawayRedis.start();
    const [metricsPort = '', otherMetricsPort = ''] = (await freePorts(2)).map(String);
    const system = await startSystem({
      programs: ['api-gateway'],
      environment: {
        REDIS_URL: redis.url,
        RATE_LIMIT_EVENT_QUEUE: '60:100000',
        GATEWAY_METRICS_PORT: metricsPort,
      },
    });
    return new TwoGateways(
      redis,
      system,
      await system.startGateway({ GATEWAY_METRICS_PORT: otherMetricsPort }),
      await addOrganisation(system),
      metricsPort,
      otherMetricsPort,
    );
  }

  /** Sends polls; resolves with their answer to come when the first gateway holds them. */
  hold<Answer>(send: () => Promise<Answer>, count = 1): Promise<{ answer: Promise<Answer> }> {
    return holdPolls(this.metricsPort, send, count);
  }

  /** The same for a poll of the queue of a client through the other gateway. */
  holdElsewhere(person: Person, client: EventClient): Promise<{ answer: Promise<Reply> }> {
    return holdPolls(this.otherMetricsPort, () => this.pollElsewhere(person, client));
  }

  /** A poll of the queue of a client through the other gateway. */
  pollElsewhere(person: Person, { queueId, lastEventId }: EventClient, fields: Fields = {}) {
    return this.system
      .api(person, this.otherUrl)
      .get('/events', { queue_id: queueId, last_event_id: lastEventId, ...fields });
  }

  deleteElsewhere(person: Person, { queueId }: EventClient) {
    return this.system.api(person, this.otherUrl).delete('/events', { queue_id: queueId });
  }

  async stop(): Promise<void> {
    await this.system.stop();
    await this.redis.remove();
  }
}

/** Saves a snippet: a change with an event for its person alone. Throws unless it is answered with success. */
export async function saveSnippet({ api }: Person, title: string): Promise<void> {
  const { status, body } = await api.post('/saved_snippets', { title, content: 'x' });
  if (status !== 200) throw new Error(`Saved with ${status}: ${JSON.stringify(body)}`);
}

/** The titles of the snippets of events. */
export const titlesOf = (events: readonly ReceivedEvent[]): unknown[] =>
  events.map((event) => (event['saved_snippet'] as { title: string }).title);
