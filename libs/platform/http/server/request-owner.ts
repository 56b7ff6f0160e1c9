import type { FastifyRequest } from 'fastify';
import type { Caller } from '#platform/contracts';
import { networkOf } from '#platform/core';

/** The account or the server of a request; its network without a sign-in. An account and a server may have the same id. */
export function ownerOf({
  authenticated,
  ip,
}: Pick<FastifyRequest, 'authenticated' | 'ip'>): string {
  const { caller, server } = authenticated ?? {};
  if (caller) return ownerOfAccount(caller);
  return server ? `server ${server.serverId}` : networkOf(ip);
}

/** The same for a request of a known account. */
export const ownerOfAccount = ({ userId }: Pick<Caller, 'userId'>): string => `account ${userId}`;
