import { expect } from '@jest/globals';
import { freePorts } from '#test/free-ports';
import type { Person } from '#test/organisation';
import { startSystem, type System } from '#test/start-system';

/** Presence and a gateway with the shortest times: a report is published again after five seconds. */
export async function startPresenceSystem(): Promise<System> {
  const [metricsPort] = await freePorts(1);
  return startSystem({
    programs: ['presence', 'api-gateway'],
    environment: {
      PRESENCE_PING_SECONDS: '10',
      PRESENCE_OFFLINE_SECONDS: '50',
      RATE_LIMIT_USER: '60:100000',
      RATE_LIMIT_EVENT_QUEUE: '60:100000',
      GATEWAY_METRICS_PORT: String(metricsPort),
    },
  });
}

/** A person reports presence. */
export async function report({ api }: Person, status: 'active' | 'idle' = 'active'): Promise<void> {
  const reply = await api.post('/users/me/presence', { status, ping_only: true });
  expect(reply.status).toBe(200);
}

/** The options of a queue with events of presence in the modern form. */
export const modern = {
  event_types: ['presence'],
  client_capabilities: { simplified_presence_events: true },
};
export type Times = Readonly<Record<string, { active_timestamp: number; idle_timestamp: number }>>;

/** The users and times of events in the modern form. */
export const presencesOf = (events: readonly object[]): Times =>
  Object.assign({}, ...events.map((event) => (event as { presences?: Times }).presences ?? {}));
