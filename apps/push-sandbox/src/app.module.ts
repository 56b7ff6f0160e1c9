import { type DynamicModule, Module } from '@nestjs/common';
import { ApnsServer } from './apns/apns.server.js';
import { ControlController } from './control/control.controller.js';
import { InstallationsController } from './control/installations.controller.js';
import { PlatformModesStore } from './control/platform-modes.store.js';
import { PlatformsController } from './control/platforms.controller.js';
import { ScriptedAnswersStore } from './control/scripted-answers.store.js';
import { FcmServer } from './fcm/fcm.server.js';
import { InstallationsStore } from './fcm/installations.store.js';
import { HealthController } from './health/health.controller.js';
import { DeliveriesStore } from './inbox/deliveries.store.js';
import { EncryptedPhones } from './inbox/encrypted-phones.js';
import { InboxFeed } from './inbox/inbox-feed.js';
import { InboxController } from './inbox/inbox.controller.js';
import { BrowsersController } from './web/browsers.controller.js';
import { Browsers } from './web/browsers.js';
import { WebPushServer } from './web/web-push.server.js';
import { SandboxSettings } from './credentials/prepare-sandbox-credentials.js';
import { AnswerSender } from './provider/answer-sender.js';

@Module({})
export class AppModule {
  static with(settings: SandboxSettings): DynamicModule {
    return {
      module: AppModule,
      controllers: [
        InboxController,
        ControlController,
        PlatformsController,
        InstallationsController,
        BrowsersController,
        HealthController,
      ],
      providers: [
        { provide: SandboxSettings, useValue: settings },
        PlatformModesStore,
        ScriptedAnswersStore,
        InstallationsStore,
        DeliveriesStore,
        EncryptedPhones,
        InboxFeed,
        AnswerSender,
        ApnsServer,
        FcmServer,
        Browsers,
        WebPushServer,
      ],
    };
  }
}
