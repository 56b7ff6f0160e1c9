import { type DynamicModule, Module, type ModuleMetadata } from '@nestjs/common';
import { ADMISSION } from '#contracts';
import { RealmRepository } from '#realms';
import { AccountRepository } from './account.repository.js';
import { AuthVersionStore } from './auth-versions.store.js';
import { API_KEY_SECRET, FetchApiKey } from './fetch-api-key.js';
import { RegenerateApiKey } from './regenerate-api-key.js';
import { EXTERNAL_URL, RequestAdmission } from './request-admission.js';
import { SIGN_IN_CACHE_SECONDS, SignIn } from './sign-in.js';

interface AuthOptions {
  readonly apiKeySecret: Buffer;
  readonly cacheSeconds: number;
  readonly externalUrl: string;
  /** Modules that export RateLimits and a LOGOUT_HURRIER. */
  readonly imports: NonNullable<ModuleMetadata['imports']>;
}

/** Sign-in and API keys, for the gateway. */
@Module({})
export class AuthModule {
  static with(options: AuthOptions): DynamicModule {
    return {
      module: AuthModule,
      global: true,
      imports: options.imports,
      providers: [
        { provide: API_KEY_SECRET, useValue: options.apiKeySecret },
        { provide: SIGN_IN_CACHE_SECONDS, useValue: options.cacheSeconds },
        { provide: EXTERNAL_URL, useValue: new URL(options.externalUrl) },
        { provide: ADMISSION, useClass: RequestAdmission },
        AccountRepository,
        AuthVersionStore,
        FetchApiKey,
        RealmRepository,
        RegenerateApiKey,
        SignIn,
      ],
      exports: [
        ADMISSION,
        API_KEY_SECRET,
        AuthVersionStore,
        EXTERNAL_URL,
        FetchApiKey,
        RegenerateApiKey,
      ],
    };
  }
}
