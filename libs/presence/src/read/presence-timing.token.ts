/** DI token of the PresenceTiming that a gateway reads presence by. */
export const PRESENCE_TIMING = Symbol('PresenceTiming');
