import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { serveDemo } from './serve-demo.js';

@Module({})
class EmptyModule {}

const account = (name: string) => ({
  email: `${name}@example.com`,
  full_name: name,
  api_key: `key of ${name}`,
  password: 'never sent',
  role: 'member',
});

describe(serveDemo.name, () => {
  let folder: string;
  let app: NestFastifyApplication;

  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'demo-page-'));
    const file = path.join(folder, 'demo.json');
    const users = { alice: account('alice'), alice_bot: account('bot'), dora: account('dora') };
    await writeFile(
      file,
      JSON.stringify({
        demo_page: { secret: 'of the house' },
        sandbox_url: 'http://127.0.0.1:2',
        users,
      }),
    );
    app = await NestFactory.create<NestFastifyApplication>(EmptyModule, new FastifyAdapter(), {
      logger: false,
    });
    await serveDemo(app, { file, externalUrl: 'http://127.0.0.1:9991' });
    await app.init();
  });
  afterAll(async () => {
    await app.close();
    await rm(folder, { recursive: true });
  });

  const secret = { 'x-demo-secret': 'of the house' };
  const get = (url: string, headers = {}, remoteAddress = '127.0.0.1') =>
    app.inject({ url, headers: { host: '127.0.0.1:9991', ...headers }, remoteAddress });

  it.each([
    '/demo',
    '/demo/files/main.js',
    '/demo/files/push-worker.js',
    '/demo/files/base.css',
    '/demo/files/demo.css',
  ])('serves %s', async (url) => {
    expect(await get(url)).toMatchObject({
      statusCode: 200,
      headers: { 'x-content-type-options': 'nosniff' },
    });
  });

  it('lists the accounts of people, without passwords', async () => {
    const answer = await get('/demo/accounts', secret);
    expect(answer.json()).toEqual({
      accounts: [
        {
          name: 'alice',
          email: 'alice@example.com',
          full_name: 'alice',
          api_key: 'key of alice',
          role: 'member',
        },
      ],
      sandboxUrl: 'http://127.0.0.1:2',
    });
    expect(answer.headers['cache-control']).toBe('no-store');
  });

  // A plain reverse proxy with the host of the gateway looks like a process of this computer.
  it.each([{}, { 'x-demo-secret': '' }, { 'x-demo-secret': 'of the garden' }])(
    'keeps the accounts from a request of this computer with %j',
    async (headers) => {
      const answer = await get('/demo/accounts', headers);
      expect(answer.statusCode).toBe(404);
      expect(answer.body).not.toContain('key of alice');
    },
  );

  it.each([
    ['of another computer', {}, '192.0.2.7'],
    ['through a proxy', { 'x-forwarded-for': '192.0.2.7' }, '127.0.0.1'],
    ['through a standard proxy', { forwarded: 'for=192.0.2.7' }, '127.0.0.1'],
    ['for another host', { host: 'rebound.example.com:9991' }, '127.0.0.1'],
  ])('refuses a request %s', async (_what, headers, address) => {
    for (const url of ['/demo', '/demo/accounts', '/demo/files/main.js']) {
      const given = { ...secret, ...headers };
      expect(await get(url, given, address)).toMatchObject({ statusCode: 404 });
    }
  });
});
