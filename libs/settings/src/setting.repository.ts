import { Injectable } from '@nestjs/common';
import { type OutdatedSignIn, outdateSignIns } from '#auth';
import { Database } from '#database';

@Injectable()
export class SettingRepository {
  constructor(private readonly database: Database) {}

  /**
   * Sets whether an account shares its presence; resolves with its outdated sign-in, or with none when
   * that is how it was.
   */
  async sharePresence(userId: number, isPresenceEnabled: boolean): Promise<OutdatedSignIn[]> {
    return this.database.prisma.$transaction(async (transaction) => {
      const { count } = await transaction.user.updateMany({
        where: { id: userId, isPresenceEnabled: !isPresenceEnabled },
        data: { isPresenceEnabled },
      });
      return count === 0 ? [] : outdateSignIns(transaction, [userId]);
    });
  }

  /** Whether an account shares its presence by now. */
  async sharesPresence(userId: number): Promise<boolean> {
    const user = await this.database.prisma.user.findUniqueOrThrow({
      where: { id: userId },
      select: { isPresenceEnabled: true },
    });
    return user.isPresenceEnabled;
  }
}
