import { type DynamicModule, Module } from '@nestjs/common';
import { APP_FILTER, APP_GUARD, APP_INTERCEPTOR } from '@nestjs/core';
import { FileInterceptor } from './files/file.interceptor.js';
import { FileSpool, type FileSpoolOptions } from './files/file-spool.js';
import { EndpointGuard } from './http/endpoint.guard.js';
import { ErrorFilter } from './http/error.filter.js';

/** The contract at the edge; the program provides ADMISSION globally. */
@Module({
  providers: [
    { provide: APP_GUARD, useClass: EndpointGuard },
    { provide: APP_FILTER, useClass: ErrorFilter },
    { provide: APP_INTERCEPTOR, useClass: FileInterceptor },
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
