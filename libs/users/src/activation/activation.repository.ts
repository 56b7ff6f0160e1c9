import { Injectable } from '@nestjs/common';
import { type OutdatedSignIn, outdateSignIns } from '#auth';
import { roles } from '#contracts';
import { Database, type Prisma } from '#database';

/** Why an account cannot be deactivated. */
export type Refusal = 'deactivated' | 'only owner' | 'only user';

@Injectable()
export class ActivationRepository {
  constructor(private readonly database: Database) {}

  /**
   * Deactivates an account of the organisation and the bots that it owns; resolves with their outdated
   * sign-ins, or with why it is not done.
   */
  async deactivate(realmId: number, userId: number): Promise<readonly OutdatedSignIn[] | Refusal> {
    return this.database.prisma.$transaction(async (transaction) => {
      const refusal = await refusalOf(transaction, realmId, userId);
      if (refusal !== null) return refusal;
      const gone = await transaction.user.updateManyAndReturn({
        where: { OR: [{ id: userId }, { botOwnerId: userId }], isActive: true },
        data: { isActive: false },
        select: { id: true },
      });
      return outdateSignIns(
        transaction,
        gone.map(({ id }) => id),
      );
    });
  }

  /** Resolves with the outdated sign-in, or with none when the account is in use already. */
  async reactivate(userId: number): Promise<readonly OutdatedSignIn[]> {
    return this.database.prisma.$transaction(async (transaction) => {
      const { count } = await transaction.user.updateMany({
        where: { id: userId, isActive: false },
        data: { isActive: true },
      });
      return count === 0 ? [] : outdateSignIns(transaction, [userId]);
    });
  }
}

/** Deactivations of an organisation take turns, so that two owners cannot do away with each other. */
async function refusalOf(
  transaction: Prisma.TransactionClient,
  realmId: number,
  userId: number,
): Promise<Refusal | null> {
  await transaction.$queryRaw`SELECT 1 FROM realms WHERE id = ${realmId} FOR NO KEY UPDATE`;
  const user = await transaction.user.findUnique({ where: { id: userId } });
  if (user === null || !user.isActive) return 'deactivated';
  if (user.isBot) return null;
  const others = { realmId, isBot: false, isActive: true, id: { not: userId } };
  const isLast = async (where: Prisma.UserWhereInput): Promise<boolean> =>
    (await transaction.user.findFirst({ where, select: { id: true } })) === null;
  if (user.role === roles.owner && (await isLast({ ...others, role: roles.owner }))) {
    return 'only owner';
  }
  return (await isLast(others)) ? 'only user' : null;
}
