/** What an account wants to be notified of on its phones; what is left out stays as it is. */
export interface NotificationSettings {
  /** Of direct messages and mentions. */
  readonly isPushEnabled?: boolean | undefined;
  /** Also while it is active somewhere. */
  readonly isPushedOnline?: boolean | undefined;
  /** Of every message in channels whose subscription does not say. */
  readonly isPushedChannels?: boolean | undefined;
  /** Of mentions of everyone, in channels whose subscription does not say. */
  readonly isPushedWildcards?: boolean | undefined;
}
