/** The providers that the sandbox stands in for. */
export const platforms = ['apns', 'fcm'] as const;

export type Platform = (typeof platforms)[number];

/** The form of a token to compare by. Apple's are hexadecimal: `AB` and `ab` are the same device. */
export function comparableToken(platform: Platform, token: string): string {
  return platform === 'apns' ? token.toLowerCase() : token;
}
