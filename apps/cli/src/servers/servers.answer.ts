import type { RealmOverview, ServerOverview, StateCount } from '#push/tenants';
import type { Answer } from '../command-context.js';
import { tableOf } from '../output/table.js';
import { timeJson, timeText } from '../output/times.rules.js';

const serverJson = (server: ServerOverview) => ({
  id: server.uuid,
  hostname: server.hostname,
  contact_email: server.contactEmail,
  version: server.version,
  registered_at: timeJson(server.createdAt),
  seen_at: timeJson(server.seenAt),
  deactivated_at: timeJson(server.deactivatedAt),
  stopped_from: timeJson(server.stoppedFrom),
  stop_reason: server.stopReason,
  requests_per_minute: server.requestLimit,
  pushes_per_second: server.pushLimit,
  max_devices: server.deviceLimit,
  organisations: server.realms,
  devices: server.devices,
});

const realmJson = (realm: RealmOverview) => ({
  id: realm.uuid,
  host: realm.host,
  name: realm.name,
  is_deactivated: realm.isDeactivated,
  deleted_at: timeJson(realm.locallyDeletedAt),
  stopped_from: timeJson(realm.stoppedFrom),
  stop_reason: realm.stopReason,
  devices: realm.devices,
});

const stateOf = ({ deactivatedAt, stoppedFrom }: ServerOverview): string => {
  if (deactivatedAt !== null) return 'deactivated';
  return stoppedFrom === null ? 'active' : `stopped from ${timeText(stoppedFrom)}`;
};

/** All servers. */
export const serversAnswer = (servers: readonly ServerOverview[]): Answer => ({
  json: { servers: servers.map(serverJson) },
  text:
    servers.length === 0
      ? 'No server has registered.'
      : tableOf(
          ['id', 'host', 'state', 'organisations', 'devices', 'seen (UTC)'],
          servers.map((server) => [
            server.uuid,
            server.hostname,
            stateOf(server),
            server.realms,
            server.devices,
            timeText(server.seenAt),
          ]),
        ),
});

/** One server with its organisations, and its deliveries of the last day. */
export const serverAnswer = (
  server: ServerOverview,
  realms: readonly RealmOverview[],
  counts: readonly StateCount[],
): Answer => ({
  json: {
    server: serverJson(server),
    organisations: realms.map(realmJson),
    deliveries: counts.map(({ platform, state, deliveries }) => ({ platform, state, deliveries })),
  },
  text: [
    tableOf(
      ['server', ''],
      [
        ['id', server.uuid],
        ['host', server.hostname],
        ['contact', server.contactEmail],
        ['version', server.version],
        ['state', stateOf(server)],
        ['reason', server.stopReason],
        ['requests a minute', server.requestLimit ?? 'as configured'],
        ['pushes a second', server.pushLimit ?? 'as configured'],
        ['phones at most', server.deviceLimit ?? 'as configured'],
        ['seen (UTC)', timeText(server.seenAt)],
      ],
    ),
    tableOf(
      ['organisation', 'host', 'devices', 'stopped from', 'reason'],
      realms.map((realm) => [
        realm.uuid,
        realm.host,
        realm.devices,
        timeText(realm.stoppedFrom),
        realm.stopReason,
      ]),
    ),
    tableOf(
      ['last day', 'state', 'deliveries'],
      counts.map(({ platform, state, deliveries }) => [platform, state, deliveries]),
    ),
  ].join('\n'),
});

/** A change. */
export const doneAnswer = (name: string, what: string): Answer => ({
  json: { changed: name },
  text: `${name}: ${what}.`,
});
