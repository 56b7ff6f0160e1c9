import type { Platform } from '#push/jobs';

/** The platform whose queues serve the devices of a platform. */
export type QueuePlatform = (platform: Platform) => Platform;

/** DI token of the QueuePlatform. */
export const QUEUE_PLATFORM = Symbol('QueuePlatform');

/** On a server that sends itself: each platform has its own queues. */
export const ownQueues: QueuePlatform = (platform) => platform;

/**
 * On a server that relays: the queues and the circuit breaker of this platform serve all phones, so that the phones of an
 * account share jobs and requests.
 */
export const RELAY_PLATFORM = 'apns';

/** The QueuePlatform of a server that relays. It sends Web Push itself. */
export const sharedQueues: QueuePlatform = (platform) =>
  platform === 'web' ? platform : RELAY_PLATFORM;
