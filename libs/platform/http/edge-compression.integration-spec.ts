import type { AddressInfo } from 'node:net';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Controller, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import {
  type Authenticator,
  type BodyEncoding,
  type Caller,
  successEnvelope,
} from '#platform/contracts';
import {
  buildEdge,
  createEdgeAdapter,
  EdgeModule,
  Endpoint,
  endpoint,
  CompressedResponse,
  JsonText,
  Parameters,
  type ParametersOf,
  AcceptedEncoding,
  text,
} from '#platform/http';
import { z } from 'zod';
import { stubAuth, testCaller } from '#test/edge-authenticator';

const FIELDS = '{"presences":{"10":"näh"}}';
const RESPONSE = '{"result":"success","msg":"","presences":{"10":"näh"}}\n';

const getMuch = endpoint({
  method: 'POST',
  path: '/much',
  summary: 'Much',
  description: 'Much.',
  tag: 'Things',
  access: 'user',
  parameters: { size: text(z.string().optional(), { description: 'Whether it is little.' }) },
  returns: z.looseObject({}),
  errors: [],
});

const compress = (encoding: BodyEncoding): Buffer =>
  (encoding === 'br' ? brotliCompressSync : gzipSync)(successEnvelope(FIELDS));

@Controller()
class MuchController {
  @Endpoint(getMuch)
  get(
    @Parameters() { size }: ParametersOf<typeof getMuch>,
    @AcceptedEncoding() encoding: BodyEncoding | null,
  ) {
    if (encoding === null || size === 'little') return new JsonText(FIELDS);
    return new CompressedResponse(encoding, compress(encoding));
  }
}

class OpenAuthenticator implements Authenticator {
  authenticate(): Promise<Caller> {
    return Promise.resolve(testCaller);
  }

  known(): null {
    return null;
  }

  charge(): Promise<void> {
    return Promise.resolve();
  }
}

@Module({ imports: [EdgeModule, stubAuth(OpenAuthenticator)], controllers: [MuchController] })
class MuchModule {}

describe('compressed responses of the edge', () => {
  let app: NestFastifyApplication;

  beforeAll(async () => {
    app = await NestFactory.create<NestFastifyApplication>(MuchModule, createEdgeAdapter([]), {
      logger: false,
      bodyParser: false,
    });
    await buildEdge(app);
    await app.listen(0, '127.0.0.1');
  });

  afterAll(() => app.close());

  /** `fetch` undoes the compression that the response names. */
  const call = (acceptEncoding: string, form: Readonly<Record<string, string>> = {}) => {
    const { port } = app.getHttpServer().address() as AddressInfo; // It listens on TCP.
    return fetch(`http://127.0.0.1:${port}/api/v1/much`, {
      method: 'POST',
      headers: { 'accept-encoding': acceptEncoding },
      body: new URLSearchParams(form),
    });
  };

  it.each([
    ['gzip', 'gzip'],
    ['br', 'br'],
    ['gzip, deflate, br', 'br'],
    ['gzip;q=1, br;q=0.1', 'gzip'],
    ['identity', null],
  ])('for Accept-Encoding %s are in %s', async (acceptEncoding, encoding) => {
    const response = await call(acceptEncoding);
    expect(response.headers.get('content-encoding')).toBe(encoding);
    expect(response.headers.get('content-type')).toBe('application/json');
    expect(response.headers.get('vary')).toBe('Accept-Encoding');
    expect(await response.text()).toBe(RESPONSE);
  });

  it('have the length of their Content-Length', async () => {
    const response = await call('br');
    expect(response.headers.get('content-length')).toBe(String(compress('br').length));
  });

  it('send Vary also without compression', async () => {
    const response = await call('gzip', { size: 'little' });
    expect(response.headers.get('content-encoding')).toBeNull();
    expect(response.headers.get('vary')).toBe('Accept-Encoding');
    expect(await response.text()).toBe(RESPONSE);
  });

  it('are not compressed when the envelope lists ignored parameters', async () => {
    const response = await call('br', { colour: 'red' });
    expect(response.headers.get('content-encoding')).toBeNull();
    expect(await response.json()).toEqual({
      result: 'success',
      msg: '',
      ignored_parameters_unsupported: ['colour'],
      presences: { 10: 'näh' },
    });
  });
});
