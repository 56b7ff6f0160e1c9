import { Injectable } from '@nestjs/common';
import { Database } from '#database';
import { isNameFree, lockNames } from './full-name.repository.js';

interface Change {
  readonly fullName: string | undefined;
  readonly timezone: string | undefined;
}

@Injectable()
export class AccountChangeRepository {
  constructor(private readonly database: Database) {}

  /** False, with nothing changed, when the organisation wants names to be unique and another has this one. */
  async change(
    { realmId, userId }: { readonly realmId: number; readonly userId: number },
    { fullName, timezone }: Change,
  ): Promise<boolean> {
    return this.database.prisma.$transaction(async (transaction) => {
      if (fullName !== undefined) {
        const { requiresUniqueNames } = await lockNames(transaction, realmId);
        const isFree =
          !requiresUniqueNames || (await isNameFree(transaction, { realmId, fullName, userId }));
        if (!isFree) return false;
      }
      await transaction.user.update({
        where: { id: userId },
        data: {
          ...(fullName !== undefined && { fullName }),
          ...(timezone !== undefined && { timezone }),
        },
      });
      return true;
    });
  }
}
