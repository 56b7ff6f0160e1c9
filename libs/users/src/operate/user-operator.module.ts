import { type DynamicModule, Module } from '@nestjs/common';
import { API_KEY_SECRET } from '#auth';
import { AddAccount } from '../new-account/add-account.js';
import { DisposableDomains } from '../new-account/disposable-domains.js';
import { NewAccountRepository } from '../new-account/new-account.repository.js';
import { PasswordStrength } from '../new-account/password-strength.js';
import { CreateAccount } from './create-account.js';
import { CreateBot } from './create-bot.js';

/** Makes accounts for an operator; needs DatabaseModule. */
@Module({})
export class UserOperatorModule {
  static with(options: { readonly apiKeySecret: Buffer }): DynamicModule {
    return {
      module: UserOperatorModule,
      providers: [
        AddAccount,
        CreateAccount,
        CreateBot,
        DisposableDomains,
        NewAccountRepository,
        PasswordStrength,
        { provide: API_KEY_SECRET, useValue: options.apiKeySecret },
      ],
      exports: [CreateAccount, CreateBot],
    };
  }
}
