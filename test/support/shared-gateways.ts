import { createServer, type ServerResponse } from 'node:http';
import { readTestStoresConfig } from '#platform/config';
import { errorText } from '#platform/core';
import { freePorts } from './free-ports.js';
import type { Environment } from './program-process.js';
import { startSystem, type System, type SystemOptions } from './start-system.js';

/** Rate limits that no test reaches by accident. */
const SETTINGS = {
  RATE_LIMIT_USER: '60:1000000',
  RATE_LIMIT_RECEIPTS: '60:1000000',
  RATE_LIMIT_ADDRESS: '60:1000000',
  RATE_LIMIT_FILE: '60:1000000',
  RATE_LIMIT_NEW_SERVERS: '60:1000000',
  RATE_LIMIT_SERVER: '60:1000000',
  RATE_LIMIT_SERVER_PUSHES: '60:1000000',
  RATE_LIMIT_SERVER_UPLOADS: '60:1000000',
};

/** The options of a gateway without the other programs, with a statement counter. */
export const gatewayOptions = (settings: Environment = {}): SystemOptions => ({
  programs: ['api-gateway'],
  environment: { ...SETTINGS, ...settings },
  hasProbe: true,
});

/** The address at which the main process of Jest gives its workers their gateways. */
export const sharedGatewaysUrl = (): string =>
  `http://127.0.0.1:${readTestStoresConfig().gatewaysPort}`;

/**
 * One gateway for each Jest worker, which the test files of the worker share. The gateway belongs to the main process
 * of Jest, because Jest replaces workers that use much memory. It starts when the first file needs it.
 */
export class SharedGateways {
  readonly #systems = new Map<string, Promise<System>>();
  readonly #server = createServer((request, response) => {
    void this.#answer(request.url ?? '', response);
  });

  async listen(): Promise<void> {
    const { gatewaysPort } = readTestStoresConfig();
    await new Promise<void>((resolve, reject) => {
      this.#server.once('error', reject).listen(gatewaysPort, '127.0.0.1', resolve);
    });
  }

  async close(): Promise<void> {
    this.#server.close();
    this.#server.closeAllConnections();
    const systems = await Promise.allSettled(this.#systems.values());
    const started = systems.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
    await Promise.all(started.map((system) => system.stop()));
  }

  async #answer(path: string, response: ServerResponse): Promise<void> {
    try {
      const [, subject = '', worker = ''] = path.split('/');
      const system = await this.#systemOf(worker);
      const answer =
        subject === 'statements' ? await system.probe('api-gateway', 'count') : system.describe();
      response.end(JSON.stringify(answer));
    } catch (error) {
      response.writeHead(500).end(errorText(error));
    }
  }

  /** Replaces a gateway that has ended, so that only the file that ended it fails. */
  async #systemOf(worker: string): Promise<System> {
    const known = this.#systems.get(worker);
    if (known !== undefined) {
      const system = await known;
      if (system.isRunning('api-gateway')) return system;
      await system.stop();
    }
    const started = this.#start();
    this.#systems.set(worker, started);
    return started;
  }

  async #start(): Promise<System> {
    const [metricsPort] = await freePorts(1);
    return startSystem({
      ...gatewayOptions({ GATEWAY_METRICS_PORT: String(metricsPort) }),
      // It serves tens of files: what the optimising compiler costs comes back.
      isOptimised: true,
    });
  }
}
