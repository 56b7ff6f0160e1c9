import { type DynamicModule, Module, type ModuleMetadata } from '@nestjs/common';
import { EventLogModule } from '#events/log';
import { AccountRepository } from './account.repository.js';
import { API_KEY_SECRET, ApiKeysService } from './api-keys.service.js';
import { AuthVersionStore } from './auth-versions.store.js';
import { SignInLeaseStore } from './sign-in-leases.store.js';

interface ApiKeyOperatorOptions {
  readonly apiKeySecret: Buffer;
  /** A module that exports a DEVICE_REVOKER. */
  readonly imports: NonNullable<ModuleMetadata['imports']>;
}

/** Replaces API keys for an operator; needs DatabaseModule and RedisModule. */
@Module({})
export class ApiKeyOperatorModule {
  static with({ apiKeySecret, imports }: ApiKeyOperatorOptions): DynamicModule {
    return {
      module: ApiKeyOperatorModule,
      imports: [...imports, EventLogModule],
      providers: [
        { provide: API_KEY_SECRET, useValue: apiKeySecret },
        AccountRepository,
        ApiKeysService,
        AuthVersionStore,
        SignInLeaseStore,
      ],
      exports: [ApiKeysService],
    };
  }
}
