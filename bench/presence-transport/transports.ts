import { framedTransport } from './framed.transport.js';
import { httpTransport } from './http.transport.js';
import { shippedTransport } from './shipped.transport.js';
import type { Transport } from './transport.js';

/** The compared transports. */
export const transports: readonly Transport[] = [shippedTransport, framedTransport, httpTransport];
