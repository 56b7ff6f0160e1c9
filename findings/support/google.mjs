import { readFileSync } from 'node:fs';
import https from 'node:https';
import { initializeApp } from 'firebase-admin/app';
import { getMessaging } from 'firebase-admin/messaging';

export { serveHttps } from './provider.mjs';

let apps = 0;

/** The SDK with an agent that leads all requests to a server of this computer, and a token that it need not fetch. */
export function googleAt(port) {
  const agent = new https.Agent({ keepAlive: true, ca: readFileSync('server.pem') });
  const connect = agent.createConnection.bind(agent);
  const used = { count: 0 };
  agent.createConnection = (options, listener) => {
    used.count += 1;
    return connect({ ...options, host: 'localhost', port, servername: 'localhost' }, listener);
  };
  const credential = { getAccessToken: async () => ({ access_token: 'secret', expires_in: 3600 }) };
  apps += 1;
  const app = initializeApp({ projectId: 'example', credential, httpAgent: agent }, `app-${apps}`);
  return { messaging: getMessaging(app), used };
}
