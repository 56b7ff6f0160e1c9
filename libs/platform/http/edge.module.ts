import { type DynamicModule, Module } from '@nestjs/common';
import { APP_FILTER, APP_GUARD } from '@nestjs/core';
import { FileSpool, type FileSpoolOptions } from './files/file-spool.js';
import { EndpointGuard } from './server/endpoint.guard.js';
import { ErrorFilter } from './server/error.filter.js';

/** The guard and the error filter of all endpoints. The program provides AUTHENTICATOR globally. */
@Module({
  providers: [
    { provide: APP_GUARD, useClass: EndpointGuard },
    { provide: APP_FILTER, useClass: ErrorFilter },
  ],
})
export class EdgeModule {
  /** The same, for a program with endpoints that accept files. */
  static withFiles(options: FileSpoolOptions): DynamicModule {
    return {
      module: EdgeModule,
      providers: [{ provide: FileSpool, useFactory: () => new FileSpool(options) }],
    };
  }
}
