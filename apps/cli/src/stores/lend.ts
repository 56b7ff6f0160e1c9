import { type DynamicModule, Logger, Module, type Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';

/** Finds a use case of the modules that were opened. */
export type Finder = <UseCase>(type: Type<UseCase>) => UseCase;

/** Modules of libs, with what they need among them. */
export type Modules = readonly (DynamicModule | Type)[];

/** Opens modules, lends their use cases to a piece of work, and closes them when it has ended. */
export async function lend<Result>(
  modules: Modules,
  work: (find: Finder) => Promise<Result>,
): Promise<Result> {
  @Module({ imports: [...modules] })
  class CommandModule {}
  // What a command has to say it says itself.
  Logger.overrideLogger(false);
  const context = await NestFactory.createApplicationContext(CommandModule, {
    logger: false,
    abortOnError: false,
  });
  try {
    return await work((type) => context.get(type, { strict: false }));
  } finally {
    await context.close();
  }
}
