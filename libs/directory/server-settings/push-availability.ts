/** Whether notifications can reach phones at all. */
export interface PushAvailability {
  /** Whether a provider is configured. Never rejects: without the answer of a store it is the last known one. */
  isConfigured(): Promise<boolean>;
}

/** DI token of the program's PushAvailability. */
export const PUSH_AVAILABILITY = Symbol('PushAvailability');
