import { type DynamicModule, Module } from '@nestjs/common';
import { APP_FILTER, APP_GUARD } from '@nestjs/core';
import { FileSpool, type FileSpoolOptions } from './files/file-spool.js';
import { EndpointGuard } from './http/endpoint.guard.js';
import { ErrorFilter } from './http/error.filter.js';

/** The contract at the edge; the program provides ADMISSION globally. */
@Module({
  providers: [
    { provide: APP_GUARD, useClass: EndpointGuard },
    { provide: APP_FILTER, useClass: ErrorFilter },
  ],
})
export class EdgeModule {
  /** The same for a program whose endpoints take files. */
  static withFiles(options: FileSpoolOptions): DynamicModule {
    return {
      module: EdgeModule,
      providers: [{ provide: FileSpool, useFactory: () => new FileSpool(options) }],
    };
  }
}
