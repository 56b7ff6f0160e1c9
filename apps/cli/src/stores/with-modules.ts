import { type DynamicModule, Logger, Module, type Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';

/** Resolves a provider of the modules by its class or its token. */
export type Resolver = <Provider>(token: Type<Provider> | symbol) => Provider;

/** Nest modules of libs, with their dependencies. */
export type Modules = readonly (DynamicModule | Type)[];

/** Creates an application context of the modules for the work, and closes it afterwards. */
export async function withModules<Result>(
  modules: Modules,
  work: (resolve: Resolver) => Promise<Result>,
): Promise<Result> {
  @Module({ imports: [...modules] })
  class CommandModule {}
  // The log of the framework would mix with the output of the command.
  Logger.overrideLogger(false);
  const context = await NestFactory.createApplicationContext(CommandModule, {
    logger: false,
    abortOnError: false,
  });
  try {
    return await work((token) => context.get(token, { strict: false }));
  } finally {
    await context.close();
  }
}
