/** The providers that the sandbox stands in for. */
export const platforms = ['apns', 'fcm'] as const;

export type Platform = (typeof platforms)[number];

/** Apple's two worlds: that of apps from the store, and that of apps in development. */
export const apnsEnvironments = ['production', 'sandbox'] as const;

export type ApnsEnvironment = (typeof apnsEnvironments)[number];

/** The form of a token to compare by. Apple's are hexadecimal: `AB` and `ab` are the same device. */
export function comparableToken(platform: Platform, token: string): string {
  return platform === 'apns' ? token.toLowerCase() : token;
}
