import { ConsoleLogger } from '@nestjs/common';
import { readApiGatewayConfig } from '#config';
import { createApiGateway } from '../../apps/api-gateway/src/create-api-gateway.js';
import { startSystem, type System, type SystemOptions } from './start-system.js';

/** Nobody is held up by their own test; Jest cannot load what serves the pages of the documentation. */
const SETTINGS = {
  RATE_LIMIT_USER: '60:1000000',
  RATE_LIMIT_ADDRESS: '60:1000000',
  API_DOCS: 'false',
};

/**
 * The gateway alone, on the demo world, in the test's own process: for what endpoints answer and leave
 * behind. It needs no build; presence and the worker are away, as they may be. `stop` it when done.
 */
export async function startGateway(
  environment: NonNullable<SystemOptions['environment']> = {},
): Promise<System> {
  const system = await startSystem({ programs: [], environment: { ...SETTINGS, ...environment } });
  const config = readApiGatewayConfig(system.environmentOf('api-gateway'));
  const app = await createApiGateway(config, new ConsoleLogger({ logLevels: ['error', 'fatal'] }));
  await app.listen(config.http.port, config.http.host);
  system.beforeStop(() => app.close());
  return system;
}
