import { negotiate } from '@fastify/accept-negotiator';
import { bodyEncodings, type BodyEncoding } from '#contracts';

/** Ours, and the body as it is, which is only named by a client that likes that best. */
const offered = [...bodyEncodings, 'identity'] as const;

/**
 * How a client takes a body compressed, by its Accept-Encoding (RFC 9110, 12.5.3); null: not at all, or less
 * gladly than as it is. Of what it likes equally the first of ours is taken.
 */
export function takenEncoding(acceptEncoding: string | undefined): BodyEncoding | null {
  if (acceptEncoding === undefined) return null;
  const taken = negotiate(acceptEncoding.toLowerCase(), [...offered]);
  return taken === 'identity' ? null : taken;
}
