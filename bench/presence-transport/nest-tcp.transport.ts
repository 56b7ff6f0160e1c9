import 'reflect-metadata';
import { createRequire } from 'node:module';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type { PresenceAnswer, PresenceRequest } from '#platform/contracts';
import { freePort } from './free-port.js';
import { HOST, type Transport } from './transport.js';

/** The used part of Nest's microservices package, on which the project does not depend. */
interface Nest {
  readonly NestFactory: {
    createMicroservice(module: unknown, options: unknown): Promise<{ listen(): Promise<void> }>;
  };
  readonly Module: (options: unknown) => (target: object) => void;
  readonly Controller: () => (target: object) => void;
  readonly MessagePattern: (pattern: string) => MethodDecorator;
  readonly Transport: { readonly TCP: number };
  readonly ClientProxyFactory: { create(options: unknown): NestClient };
  readonly firstValueFrom: (observable: unknown) => Promise<Carried>;
}

/** The messages are JSON, so bytes are encoded as text. */
type Carried = string | { readonly gzip: string };

const carried = (answer: PresenceAnswer): Carried =>
  typeof answer === 'string' ? answer : { gzip: answer.body.toString('base64') };

const arrived = (answer: Carried): PresenceAnswer =>
  typeof answer === 'string'
    ? answer
    : { encoding: 'gzip', body: Buffer.from(answer.gzip, 'base64') };

interface NestClient {
  connect(): Promise<unknown>;
  send(pattern: string, data: unknown): unknown;
  close(): unknown;
}

/** Nest's TCP transporter, from the node_modules of a given folder. */
export function nestTcpTransport(folder: string): Transport {
  const load = async (): Promise<Nest> => {
    const resolve = createRequire(path.join(folder, 'package.json')).resolve;
    const names = ['@nestjs/core', '@nestjs/common', '@nestjs/microservices', 'rxjs'];
    const parts = await Promise.all(names.map((name) => import(pathToFileURL(resolve(name)).href)));
    // Loaded at run time from another folder; the interface above declares the used part.
    return Object.assign({}, ...parts) as Nest;
  };

  return {
    title: 'Nest TCP',

    async serve(answer) {
      const nest = await load();
      class PresenceController {
        async ask(request: PresenceRequest): Promise<Carried> {
          return carried(await answer(request));
        }
      }
      const descriptor = Object.getOwnPropertyDescriptor(PresenceController.prototype, 'ask');
      Reflect.decorate(
        [nest.MessagePattern('ask')],
        PresenceController.prototype,
        'ask',
        descriptor,
      );
      nest.Controller()(PresenceController);
      class PresenceModule {}
      nest.Module({ controllers: [PresenceController] })(PresenceModule);
      const port = await freePort();
      const options = { transport: nest.Transport.TCP, options: { host: HOST, port } };
      const app = await nest.NestFactory.createMicroservice(PresenceModule, {
        ...options,
        logger: false,
      });
      await app.listen();
      return port;
    },

    async connect(port) {
      const nest = await load();
      const options = { host: HOST, port };
      const client = nest.ClientProxyFactory.create({ transport: nest.Transport.TCP, options });
      await client.connect();
      return {
        ask: async (request) => arrived(await nest.firstValueFrom(client.send('ask', request))),
        close: () => client.close(),
      };
    },
  };
}
