/** The shared secret of the gateways and the presence services of the bench, which run in different processes. */
export const PRESENCE_SECRET = Buffer.alloc(32, 'bench');
