import { type DynamicModule, Module, type Type } from '@nestjs/common';
import { type Admission, ADMISSION, type Caller, roles } from '#contracts';

/** Whom an edge without accounts lets in. */
export const someone: Caller = {
  userId: 1,
  deliveryEmail: 'someone@chat.test',
  role: roles.member,
  isBot: false,
  isPresenceEnabled: true,
  joinedAt: 0,
  keyGeneration: 1,
  realm: { id: 1, subdomain: '', name: 'Chat', isPresenceDisabled: false },
};

@Module({})
class StubAuthModule {}

/** Has the edge ask this class whom to let in. */
export const stubAuth = (admission: Type<Admission>): DynamicModule => ({
  module: StubAuthModule,
  global: true,
  providers: [{ provide: ADMISSION, useClass: admission }],
  exports: [ADMISSION],
});
