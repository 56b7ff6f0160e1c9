/** What a presence process answers a gateway that has connected: version 1, kind 3, call 0, no body. */
export const presenceGreeting = Buffer.from('00000006010300000000', 'hex');
