/** What gateways and presence services of the bench prove to each other to know; each is a process of its own. */
export const PRESENCE_SECRET = Buffer.alloc(32, 'bench');
