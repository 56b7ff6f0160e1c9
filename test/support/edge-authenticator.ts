import { type DynamicModule, Module, type Type } from '@nestjs/common';
import { roles } from '#directory/roles';
import { type Authenticator, AUTHENTICATOR, type Caller } from '#platform/contracts';

/** The caller of accepted requests to an HTTP edge without accounts. */
export const testCaller: Caller = {
  userId: 1,
  deliveryEmail: 'someone@chat.test',
  role: roles.member,
  isBot: false,
  isPresenceEnabled: true,
  joinedAt: 0,
  keyGeneration: 1,
  realm: { id: 1, subdomain: '', isPresenceDisabled: false },
};

@Module({})
class StubAuthModule {}

/** Makes the edge use this authenticator. */
export const stubAuth = (authenticator: Type<Authenticator>): DynamicModule => ({
  module: StubAuthModule,
  global: true,
  providers: [{ provide: AUTHENTICATOR, useClass: authenticator }],
  exports: [AUTHENTICATOR],
});
