import { Injectable } from '@nestjs/common';
import { Database } from '#database';

/** What it takes to send to an account's devices, or to one of them, on behalf of an operator. */
export interface OperatedAccount {
  readonly keyGeneration: number;
  /** Of the device that was asked for; null when none was, or when the account has no such device. */
  readonly token: string | null;
}

const FIND = `
  SELECT account.key_generation, device.token
  FROM users account
  LEFT JOIN push_devices device ON device.user_id = account.id AND device.id = $2
  WHERE account.id = $1`;

/** The accounts that an operator sends to, who needs no sign-in of theirs. */
@Injectable()
export class OperatedAccountRepository {
  constructor(private readonly database: Database) {}

  /** Null when there is no such account. */
  async find(userId: number, deviceId: number | null): Promise<OperatedAccount | null> {
    const [row] = await this.database.query<{ key_generation: number; token: string | null }>(
      'operated_account',
      FIND,
      [userId, deviceId],
    );
    return row === undefined ? null : { keyGeneration: row.key_generation, token: row.token };
  }
}
