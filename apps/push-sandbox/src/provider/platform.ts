import { z } from 'zod';

/** The providers that the sandbox stands in for. */
export const sandboxPlatforms = ['apns', 'fcm', 'web'] as const;
export type SandboxPlatform = (typeof sandboxPlatforms)[number];

/** Those of phones, whose apps register for encrypted notifications. */
export const appPlatforms = ['apns', 'fcm'] as const;
export type AppPlatform = (typeof appPlatforms)[number];

/** The longest delay of an answer. */
export const LONGEST_DELAY_MS = 600_000;

/** The longest `Retry-After`. */
export const LONGEST_WAIT_SECONDS = 86_400;

/** The comparable form of a token. Apple's tokens are hexadecimal: `AB` and `ab` are the same device. */
export function comparableToken(platform: SandboxPlatform, token: string): string {
  return platform === 'apns' ? token.toLowerCase() : token;
}

/** The behaviour of a provider until its next change. */
export const platformModeSchema = z
  .strictObject({
    mode: z.enum([
      'ok',
      'down',
      'hang',
      'reset',
      'slow',
      'throttle',
      'bad_credentials',
      'goaway',
      'blackhole',
    ]),
    /** The delay of each answer. */
    delay_ms: z.int().min(0).max(LONGEST_DELAY_MS).optional(),
    /** The Retry-After of `throttle`, in seconds. */
    retry_after: z.int().min(0).max(LONGEST_WAIT_SECONDS).optional(),
    /** `hang` and `reset`: whether phones show the push and only its answer is lost. */
    shown: z.boolean().optional(),
  })
  .refine(({ mode, delay_ms: delayMs }) => mode !== 'slow' || delayMs !== undefined, {
    path: ['delay_ms'],
    message: 'the mode slow needs it',
  })
  .refine(({ mode, retry_after: wait }) => mode === 'throttle' || wait === undefined, {
    path: ['retry_after'],
    message: 'it goes with the mode throttle only',
  })
  .refine(({ mode, shown }) => mode === 'hang' || mode === 'reset' || shown === undefined, {
    path: ['shown'],
    message: 'it goes with the modes hang and reset only',
  });

export type PlatformMode = Readonly<z.infer<typeof platformModeSchema>>;
