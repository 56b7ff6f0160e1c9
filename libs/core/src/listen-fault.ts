import { ConfigError } from '#config';
import { errorCode, errorText } from './error-text.js';

const PORT_FAULTS: ReadonlySet<unknown> = new Set(['EADDRINUSE', 'EACCES']);
const HOST_FAULTS: ReadonlySet<unknown> = new Set([
  'EADDRNOTAVAIL',
  'EAFNOSUPPORT',
  'EAI_AGAIN',
  'EINVAL',
  'ENOTFOUND',
]);

/** Rethrows why a program could not listen, as ConfigError with the name of the variable at fault. */
export const listenFault =
  (hostVariable: string, portVariable: string) =>
  (error: unknown): never => {
    const code = errorCode(error);
    if (PORT_FAULTS.has(code)) throw new ConfigError([`${portVariable}: ${errorText(error)}`]);
    if (HOST_FAULTS.has(code)) throw new ConfigError([`${hostVariable}: ${errorText(error)}`]);
    throw error;
  };
