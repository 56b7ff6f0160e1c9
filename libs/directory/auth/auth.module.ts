import { type DynamicModule, Module, type ModuleMetadata } from '@nestjs/common';
import { RealmsModule } from '#directory/realms';
import { isGuest } from '#directory/roles';
import { IS_GUEST } from '#events/declarations';
import { EventLogModule } from '#events/log';
import { AUTHENTICATOR } from '#platform/contracts';
import { AccountRepository } from './account.repository.js';
import { SIGN_IN_CACHE_SECONDS, ApiKeyVerifier } from './api-key-verifier.js';
import { API_KEY_SECRET, ApiKeysService } from './api-keys.service.js';
import { AuthVersionCache } from './auth-version-cache.js';
import { BotKeysService } from './bot-keys.service.js';
import { AuthVersionStore } from './auth-versions.store.js';
import { PasswordSignInService } from './password-sign-in.service.js';
import { EXTERNAL_URL, RequestAuthenticator } from './request-authenticator.js';
import { SignInLeaseStore } from './sign-in-leases.store.js';

interface AuthOptions {
  readonly apiKeySecret: Buffer;
  readonly cacheSeconds: number;
  readonly externalUrl: string;
  /** Modules that export RateLimits and a DEVICE_REVOKER. */
  readonly imports: NonNullable<ModuleMetadata['imports']>;
}

/** Sign-in and API keys, for the gateway. */
@Module({})
export class AuthModule {
  static with(options: AuthOptions): DynamicModule {
    return {
      module: AuthModule,
      global: true,
      imports: [...options.imports, EventLogModule, RealmsModule],
      providers: [
        { provide: API_KEY_SECRET, useValue: options.apiKeySecret },
        { provide: SIGN_IN_CACHE_SECONDS, useValue: options.cacheSeconds },
        { provide: EXTERNAL_URL, useValue: new URL(options.externalUrl) },
        { provide: AUTHENTICATOR, useClass: RequestAuthenticator },
        { provide: IS_GUEST, useValue: isGuest },
        AccountRepository,
        AuthVersionCache,
        BotKeysService,
        AuthVersionStore,
        ApiKeysService,
        ApiKeyVerifier,
        PasswordSignInService,
        SignInLeaseStore,
      ],
      exports: [
        AUTHENTICATOR,
        IS_GUEST,
        AccountRepository,
        API_KEY_SECRET,
        BotKeysService,
        AuthVersionStore,
        EXTERNAL_URL,
        ApiKeysService,
        PasswordSignInService,
      ],
    };
  }
}
