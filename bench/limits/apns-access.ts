import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { StackPlace } from '../../deploy/local/programs.js';

/** How to reach the APNs of the sandbox. */
export interface ApnsAccess {
  readonly host: string;
  readonly port: number;
  readonly caFile: string;
  readonly keyFile: string;
  readonly keyId: string;
  readonly teamId: string;
}

/** The credentials that the running sandbox has written to its folder. */
export function apnsAccessOf({ dataDir, config }: StackPlace): ApnsAccess {
  const folder = path.join(dataDir, 'sandbox');
  // The sandbox writes the file in this format.
  const identity = JSON.parse(readFileSync(path.join(folder, 'apns.json'), 'utf8')) as {
    key_id: string;
    team_id: string;
  };
  return {
    host: '127.0.0.1',
    port: config.ports.sandboxApns,
    caFile: path.join(folder, 'ca.pem'),
    keyFile: path.join(folder, 'apns-key.p8'),
    keyId: identity.key_id,
    teamId: identity.team_id,
  };
}
