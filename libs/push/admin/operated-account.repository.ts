import { Injectable } from '@nestjs/common';
import { Database } from '#platform/database';

/** The data of an account that a notification without a sign-in needs. */
export interface OperatedAccount {
  readonly keyGeneration: number;
  /** Of the given device; null without one, or if the account has no such device. */
  readonly token: string | null;
}

const FIND = `
  SELECT account.key_generation, device.token
  FROM users account
  LEFT JOIN push_devices device ON device.user_id = account.id AND device.id = $2
  WHERE account.id = $1`;

/** Finds accounts for an operator. */
@Injectable()
export class OperatedAccountRepository {
  constructor(private readonly database: Database) {}

  /** Null for an unknown account. */
  async find(userId: number, deviceId: number | null): Promise<OperatedAccount | null> {
    const [row] = await this.database.query<{ key_generation: number; token: string | null }>(
      'operated_account',
      FIND,
      [userId, deviceId],
    );
    return row === undefined ? null : { keyGeneration: row.key_generation, token: row.token };
  }
}
