import { Module } from '@nestjs/common';
import { MessagesModule } from '#messages';
import { UsersModule } from '#users';
import { SendTestWelcomeMessage } from './send-test-welcome-message.js';

/** What the Welcome Bot writes to new people. */
@Module({
  imports: [MessagesModule, UsersModule],
  providers: [SendTestWelcomeMessage],
  exports: [SendTestWelcomeMessage],
})
export class WelcomeMessageModule {}
