import { describe, expect, it } from '@jest/globals';
import { opensConnections, outboundFiles } from './outbound-requests.js';
import { programSources, textOf } from './program-sources.js';

/** The sandbox is no program of an operator. */
const sources = programSources.filter((path) => !path.startsWith('apps/push-sandbox/'));

describe('Connections', () => {
  it('are opened by the listed files only', () => {
    const found = sources.filter((path) => opensConnections(textOf(path)));
    expect(found.toSorted()).toEqual(Object.keys(outboundFiles).toSorted());
  });

  it.each(Object.keys(outboundFiles).filter((path) => outboundFiles[path] === 'proxy'))(
    'take the proxy in %s',
    (path) => {
      expect(textOf(path)).toMatch(/\bproxy\b/);
    },
  );
});

describe(opensConnections.name, () => {
  it.each([
    "await fetch('https://a.test');",
    'const answer = await fetch(new URL(path));',
    "import { request } from 'node:https';",
    "import { type IncomingMessage, request as ask } from 'node:http';",
    "import {\n  type Socket,\n  connect,\n} from 'node:net';",
    "import * as http from 'node:http';",
    "import https from 'node:https';",
    "import { connect } from 'node:http2';",
    "import { S3Client } from '@aws-sdk/client-s3';",
    "import { getMessaging } from 'firebase-admin/messaging';",
    "import { fetch } from 'undici';",
    "const { request } = await import('node:https');",
  ])('sees %j', (text) => {
    expect(opensConnections(text)).toBe(true);
  });

  it.each([
    "import type { Socket } from 'node:net';",
    "import { isIP, type Socket } from 'node:net';",
    "import { createServer } from 'node:http';",
    "import { rootCertificates } from 'node:tls';",
    "import type { S3Client } from '@aws-sdk/client-s3';",
    'await this.fetch(1); await this.#fetch(2); messages.fetch(3);',
    'async fetch(caller: Caller): Promise<void> {',
    '/** Like `fetch(url)`. */',
  ])('ignores %j', (text) => {
    expect(opensConnections(text)).toBe(false);
  });
});
