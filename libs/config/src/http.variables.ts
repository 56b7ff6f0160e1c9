import { z } from 'zod';
import { listenHost, networks, port, urlOf, wholeNumber } from './variable-types.js';

export const httpVariables = {
  HOST: listenHost.default('127.0.0.1'),
  PORT: port.default(9991),
  EXTERNAL_URL: urlOf('http', 'https').optional(),
  TRUSTED_PROXIES: networks.default([]),
  SHUTDOWN_DELAY_SECONDS: wholeNumber(0, 300).default(0),
  HTTP_BODY_SECONDS: wholeNumber(1, 600).default(30),
  HTTP_SEND_STALL_SECONDS: wholeNumber(1, 600).default(60),
  HTTP_KEEP_ALIVE_SECONDS: wholeNumber(1, 3600).default(72),
  HTTP_MAX_CONNECTIONS: wholeNumber(10, 1_000_000).default(10_000),
  HTTP_MAX_CONNECTIONS_PER_ADDRESS: wholeNumber(1, 1_000_000).default(1000),
};

const variables = z.object(httpVariables);

export const httpOf = (values: z.output<typeof variables>) => ({
  host: values.HOST,
  port: values.PORT,
  externalUrl: new URL(values.EXTERNAL_URL ?? `http://127.0.0.1:${values.PORT}`).origin,
  trustedProxies: values.TRUSTED_PROXIES,
  shutdownDelayMs: values.SHUTDOWN_DELAY_SECONDS * 1000,
  connections: {
    bodyMs: values.HTTP_BODY_SECONDS * 1000,
    sendStallMs: values.HTTP_SEND_STALL_SECONDS * 1000,
    keepAliveMs: values.HTTP_KEEP_ALIVE_SECONDS * 1000,
    maxConnections: values.HTTP_MAX_CONNECTIONS,
    maxConnectionsPerAddress: values.HTTP_MAX_CONNECTIONS_PER_ADDRESS,
  },
});
