import { Module } from '@nestjs/common';
import { MessagesModule } from '#chat/messages';
import { UsersModule } from '#directory/users';
import { WelcomeMessageService } from './welcome-message.service.js';

/** The message that the Welcome Bot sends to new accounts. */
@Module({
  imports: [MessagesModule, UsersModule],
  providers: [WelcomeMessageService],
  exports: [WelcomeMessageService],
})
export class WelcomeMessageModule {}
