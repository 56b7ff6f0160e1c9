import { framedTransport } from './framed.transport.js';
import { httpTransport } from './http.transport.js';
import { nestTcpTransport } from './nest-tcp.transport.js';
import { shippedTransport } from './shipped.transport.js';
import type { Transport } from './transport.js';

/** The compared transports; Nest's transporter only with a folder that has it installed. */
export const transports = (nestFolder: string | undefined): readonly Transport[] => [
  shippedTransport,
  framedTransport,
  ...(nestFolder === undefined ? [] : [nestTcpTransport(nestFolder)]),
  httpTransport,
];
