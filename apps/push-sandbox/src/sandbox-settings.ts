import type { PushSandboxConfig } from '#config';
import type { SandboxCredentials } from './credentials/prepare-sandbox-credentials.js';

/** What the providers of the sandbox are made with. */
export class SandboxSettings {
  constructor(
    readonly config: PushSandboxConfig,
    readonly credentials: SandboxCredentials,
  ) {}
}
