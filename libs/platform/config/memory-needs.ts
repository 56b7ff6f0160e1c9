/** The memory that programs need under the largest load that their limits allow, in MiB: of the process, and of V8's heap. */
export const memoryNeeds = {
  /**
   * An idle gateway takes 190, 10,000 held polls 80, and bodies that arrive and responses that clients have not read up to
   * 256 together (MemoryBudget). The rest is for answers that are made.
   */
  'api-gateway': { process: 768, heap: 320 },
  /** A fan-out to 10,000 phones took 470. */
  'push-worker': { process: 512, heap: 256 },
} as const;
