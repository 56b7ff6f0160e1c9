import type { Platform } from '#push/jobs';

/** The platform whose queues serve the devices of a platform. */
export type QueuePlatform = (platform: Platform) => Platform;

/** DI token of the QueuePlatform. */
export const QUEUE_PLATFORM = Symbol('QueuePlatform');

/** On a server that sends itself: each platform has its own queues. */
export const ownQueues: QueuePlatform = (platform) => platform;

/**
 * On a server that relays: the queues and the circuit breaker of this platform serve all devices, so that the devices of an
 * account share jobs and requests.
 */
export const RELAY_PLATFORM = 'apns';

/** The QueuePlatform of a server that relays. */
export const sharedQueues: QueuePlatform = () => RELAY_PLATFORM;
