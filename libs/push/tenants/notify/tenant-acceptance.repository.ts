import { Injectable } from '@nestjs/common';
import type { DeliveryState, PhonePlatform } from '#push/jobs';
import { Database } from '#platform/database';

/** A notification to accept for a device. */
interface NewTenantDelivery {
  readonly deviceId: number;
  readonly platform: PhonePlatform;
  readonly sealed: Buffer;
  /** Whether it shows nothing, as a removal. */
  readonly isSilent: boolean;
  /** By the clock of PostgreSQL, like the claims: those of gateways may be wrong. */
  readonly timeToLiveMs: number;
}

/** An accepted notification. */
export interface AcceptedTenantDelivery {
  readonly id: number;
  readonly platform: PhonePlatform;
}

const ACCEPT = `
  INSERT INTO remote_deliveries (server_id, device_id, platform, sealed, expires_at, is_silent)
  SELECT $1, device_id, platform, sealed, now() + make_interval(secs => lives_seconds), is_silent
  FROM unnest($2::int[], $3::text[], $4::bytea[], $5::float8[], $6::boolean[])
    AS given (device_id, platform, sealed, lives_seconds, is_silent)
  RETURNING id, platform`;

const STATES = `
  SELECT id, state FROM remote_deliveries WHERE id = ANY ($1::bigint[])`;

/** Stores the notifications of servers, which workers deliver. */
@Injectable()
export class TenantAcceptanceRepository {
  constructor(private readonly database: Database) {}

  /** Accepts notifications of a server. */
  accept(
    serverId: number,
    deliveries: readonly NewTenantDelivery[],
  ): Promise<AcceptedTenantDelivery[]> {
    return this.database.query<AcceptedTenantDelivery>('accept_remote_deliveries', ACCEPT, [
      serverId,
      deliveries.map(({ deviceId }) => deviceId),
      deliveries.map(({ platform }) => platform),
      deliveries.map(({ sealed }) => sealed),
      deliveries.map(({ timeToLiveMs }) => timeToLiveMs / 1000),
      deliveries.map(({ isSilent }) => isSilent),
    ]);
  }

  /** The states of deliveries, by their ids. */
  async statesOf(ids: readonly number[]): Promise<ReadonlyMap<number, DeliveryState>> {
    const rows = await this.database.query<{ id: number; state: DeliveryState }>(
      'states_of_remote_deliveries',
      STATES,
      [ids],
    );
    return new Map(rows.map(({ id, state }) => [id, state]));
  }
}
