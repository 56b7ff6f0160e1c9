import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { deriveKey } from '#platform/core';
import { type Frame, frameKinds, type FrameReading } from './frame.js';

/** The peer did not prove that it knows the shared secret. */
export class HandshakeFailed extends Error {
  override readonly name = 'HandshakeFailed';
}

const NONCE_BYTES = 32;
const PROOF_BYTES = 32;

/** The size limit of frames before the handshake is complete. */
export const MAX_HANDSHAKE_BYTES = 256;

/** A connection with a longer handshake is closed. */
export const HANDSHAKE_TIMEOUT_MS = 3000;

const NO_SECRET = Buffer.alloc(0);

/** The key of the proofs; without a secret, a key that everybody knows. */
export const connectionKey = (secret: Buffer | null): Buffer =>
  deriveKey(secret ?? NO_SECRET, 'presence connection');

type Prover = 'gateway' | 'presence';

interface Nonces {
  readonly gateway: Buffer;
  readonly presence: Buffer;
}

/** Bound to both nonces, so that it is valid for one connection only, and to the side that sends it. */
const proofOf = (prover: Prover, key: Buffer, { gateway, presence }: Nonces): Buffer =>
  createHmac('sha256', key).update(`${prover}\0`).update(gateway).update(presence).digest();

function isProof(given: Buffer, prover: Prover, key: Buffer, nonces: Nonces): boolean {
  return given.length === PROOF_BYTES && timingSafeEqual(given, proofOf(prover, key, nonces));
}

/** The gateway's side of the handshake: send `hello`, then pass each received frame to `take`. */
export class GatewayHandshake {
  readonly #nonce = randomBytes(NONCE_BYTES);
  #hasProved = false;

  constructor(private readonly key: Buffer) {}

  get hello(): Frame {
    return { kind: frameKinds.hello, call: 0, body: this.#nonce };
  }

  /** The next frame to send; null when the handshake is complete. Throws HandshakeFailed. */
  take({ kind, body }: FrameReading): Frame | null {
    if (kind === frameKinds.challenge && !this.#hasProved) return this.#prove(body);
    if (kind === frameKinds.welcome && this.#hasProved) return null;
    if (kind === frameKinds.failure) {
      throw new HandshakeFailed('The presence process refuses the PRESENCE_SECRET of this gateway');
    }
    throw new HandshakeFailed('The presence process did not answer as expected');
  }

  #prove(challenge: Buffer): Frame {
    const nonces = {
      gateway: this.#nonce,
      presence: challenge.subarray(0, NONCE_BYTES),
    };
    if (!isProof(challenge.subarray(NONCE_BYTES), 'presence', this.key, nonces)) {
      throw new HandshakeFailed(
        'The presence process has another PRESENCE_SECRET than this gateway',
      );
    }
    this.#hasProved = true;
    const body = proofOf('gateway', this.key, nonces);
    return { kind: frameKinds.proof, call: 0, body };
  }
}

/** The presence process's side of the handshake. */
export class PresenceHandshake {
  readonly #nonce = randomBytes(NONCE_BYTES);
  #nonces: Nonces | undefined;
  #isDone = false;

  constructor(private readonly key: Buffer) {}

  /** Whether the gateway has proved that it knows the secret. */
  get isDone(): boolean {
    return this.#isDone;
  }

  /** The next frame to send. Throws HandshakeFailed. */
  take({ kind, body }: FrameReading): Frame {
    if (kind === frameKinds.hello && this.#nonces === undefined) return this.#challenge(body);
    if (kind === frameKinds.proof && this.#nonces !== undefined) {
      return this.#check(body, this.#nonces);
    }
    throw new HandshakeFailed('A request came before the handshake');
  }

  #challenge(gatewayNonce: Buffer): Frame {
    if (gatewayNonce.length !== NONCE_BYTES) throw new HandshakeFailed('The nonce is malformed');
    // Copied, because a frame is a view of the receive buffer.
    this.#nonces = { gateway: Buffer.from(gatewayNonce), presence: this.#nonce };
    const body = Buffer.concat([this.#nonce, proofOf('presence', this.key, this.#nonces)]);
    return { kind: frameKinds.challenge, call: 0, body };
  }

  #check(proof: Buffer, nonces: Nonces): Frame {
    if (!isProof(proof, 'gateway', this.key, nonces)) {
      throw new HandshakeFailed('A gateway has another PRESENCE_SECRET than this process');
    }
    this.#isDone = true;
    return { kind: frameKinds.welcome, call: 0, body: '' };
  }
}
