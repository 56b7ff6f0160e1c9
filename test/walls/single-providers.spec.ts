import { ApplicationConfig, ModuleRef, ModulesContainer, NestFactory } from '@nestjs/core';
import { describe, expect, it } from '@jest/globals';
import type { DynamicModule } from '@nestjs/common';
import { readApiGatewayConfig, readPushWorkerConfig } from '#platform/config';
import { ApiGatewayModule } from '../../apps/api-gateway/src/api-gateway.module.js';
import { AppModule as PushWorkerAppModule } from '../../apps/push-worker/src/app.module.js';

const environment = {
  DATABASE_URL: 'postgresql://u@db/carillon',
  REDIS_URL: 'redis://cache',
  API_KEY_SECRET: Buffer.alloc(32, 1).toString('base64'),
  PUSH_KEY_SECRET: Buffer.alloc(32, 2).toString('base64'),
  PUSH_SERVICE_ENABLED: 'true',
};

/** Nest adds one of each to each module, and the module itself. */
const ADDED_BY_NEST: ReadonlySet<unknown> = new Set([ApplicationConfig, ModuleRef]);

/** The classes that more than one module of a program provides, with these modules. Nothing is created. */
async function repeatedProviders(program: DynamicModule): Promise<Record<string, string[]>> {
  const context = await NestFactory.createApplicationContext(program, {
    preview: true,
    logger: false,
    abortOnError: false,
  });
  const modulesOf = new Map<unknown, string[]>();
  for (const { metatype: module, name, providers } of context.get(ModulesContainer).values()) {
    for (const { metatype, inject } of providers.values()) {
      // A provider with a list of dependencies is a factory.
      if (typeof metatype !== 'function' || inject) continue;
      if (metatype === module || ADDED_BY_NEST.has(metatype)) continue;
      modulesOf.set(metatype, [...(modulesOf.get(metatype) ?? []), name]);
    }
  }
  const repeated = [...modulesOf].filter(([, names]) => names.length > 1);
  return Object.fromEntries(
    repeated.map(([metatype, names]) => [(metatype as { name: string }).name, names]),
  );
}

describe('A program has one instance of each class', () => {
  it('in a gateway', async () => {
    const config = readApiGatewayConfig(environment);
    expect(await repeatedProviders(ApiGatewayModule.with(config))).toEqual({});
  });

  it('in a push worker', async () => {
    // A consumer of a queue connects to Redis already when its module is listed.
    const config = { ...readPushWorkerConfig(environment), queues: [] };
    const opened = { transports: {}, credentials: [], close: async () => undefined };
    expect(await repeatedProviders(PushWorkerAppModule.with(config, opened))).toEqual({});
  });
});
