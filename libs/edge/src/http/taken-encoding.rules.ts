import { negotiate } from '@fastify/accept-negotiator';
import { bodyEncodings, type BodyEncoding } from '#contracts';

/**
 * How a client takes a body compressed, by its Accept-Encoding (RFC 9110, 12.5.3); null: not at all. Of what it
 * likes equally the first of ours is taken.
 */
export const takenEncoding = (acceptEncoding: string | undefined): BodyEncoding | null =>
  acceptEncoding === undefined ? null : negotiate(acceptEncoding, [...bodyEncodings]);
