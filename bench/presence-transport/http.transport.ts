import { once } from 'node:events';
import { Agent, createServer, request as httpRequest } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { PresenceRequest } from '#contracts';
import { HOST, readRequest, type Transport } from './transport.js';

/** HTTP/1.1 with connections kept open. */
export const httpTransport: Transport = {
  title: 'HTTP/1.1, keep-alive',

  async serve(answer) {
    const server = createServer((request, response) => {
      void text(request)
        .then((body) => answer(readRequest(body)))
        .then((answered) => response.end(answered));
    });
    server.listen(0, HOST);
    await once(server, 'listening');
    // A listening TCP server has an address of this form.
    return (server.address() as AddressInfo).port;
  },

  async connect(port) {
    const agent = new Agent({ keepAlive: true });
    const ask = (asked: PresenceRequest) =>
      new Promise<string>((resolve, reject) => {
        const sent = httpRequest({ host: HOST, port, agent, method: 'POST' }, (response) => {
          text(response).then(resolve, reject);
        });
        sent.once('error', reject).end(JSON.stringify(asked));
      });
    return { ask, close: () => agent.destroy() };
  },
};
