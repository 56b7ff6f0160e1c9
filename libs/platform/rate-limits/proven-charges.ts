import type { SignInProof } from '#platform/contracts';
import { batchedPerTurn, SparedFailures } from '#platform/core';
import { LuaScript, type Redis } from '#platform/redis';
import { z } from 'zod';

const chargeScript = new LuaScript(import.meta.url, './charge.lua');

/** Redis runs nothing else during a script: a few microseconds for each charge. */
const MAX_CHARGES_PER_CALL = 100;

/** For each charge the two numbers of each rule, in turn; null without the proof. */
const replies = z.array(z.array(z.int()).nullable());

/** The keys of one call, one for each rule. */
interface ProvenCharge {
  readonly proof: SignInProof;
  readonly keys: readonly string[];
}

/** The state of one rule after a charge. */
export interface ProvenCount {
  readonly consumedPoints: number;
  readonly msBeforeNext: number;
}

/** Charges calls only with the proofs of their sign-ins. */
export class ProvenCharges {
  readonly #failures = new SparedFailures(ProvenCharges.name);
  readonly #charge = batchedPerTurn((charges: readonly ProvenCharge[]) => this.#run(charges), {
    maxPerCall: MAX_CHARGES_PER_CALL,
  });

  /** `windows`: the seconds of each rule. */
  constructor(
    private readonly redis: Redis,
    private readonly windows: readonly number[],
  ) {}

  /** Resolves with the state of each rule; null without the proof, or if Redis does not answer. */
  async charge(charge: ProvenCharge): Promise<readonly ProvenCount[] | null> {
    try {
      return await this.#charge(charge);
    } catch (error) {
      this.#failures.note(error);
      return null;
    }
  }

  async #run(charges: readonly ProvenCharge[]): Promise<(ProvenCount[] | null)[]> {
    const keys = [
      ...charges.map(({ proof }) => proof.key),
      ...charges.flatMap((charge) => charge.keys),
    ];
    const values = charges.map(({ proof }) => proof.value);
    const args = [String(charges.length), ...this.windows.map(String), ...values];
    const counts = replies.parse(await chargeScript.run(this.redis, keys, args));
    return counts.map((numbers) => numbers && this.#countsOf(numbers));
  }

  #countsOf(numbers: readonly number[]): ProvenCount[] {
    return this.windows.map((_, rule) => ({
      consumedPoints: numbers[2 * rule] ?? 0,
      msBeforeNext: numbers[2 * rule + 1] ?? 0,
    }));
  }
}
