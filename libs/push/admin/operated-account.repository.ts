import { Injectable } from '@nestjs/common';
import { Database } from '#platform/database';

const KEY_GENERATION = `SELECT key_generation FROM users WHERE id = $1`;

/** Finds accounts for an operator. */
@Injectable()
export class OperatedAccountRepository {
  constructor(private readonly database: Database) {}

  /** The generation of the API key of an account; null for an unknown account. */
  async keyGeneration(userId: number): Promise<number | null> {
    const [row] = await this.database.query<{ key_generation: number }>(
      'operated_account',
      KEY_GENERATION,
      [userId],
    );
    return row?.key_generation ?? null;
  }
}
