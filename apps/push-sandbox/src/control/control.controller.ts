import { Body, Controller, Delete, Get, Header, Param, Put, Query } from '@nestjs/common';
import { type DeliveryFilter, DeliveriesStore } from '../inbox/deliveries.store.js';
import { ApnsWireServer } from '../apns/apns-wire.server.js';
import type { PlatformMode } from '../wire/platform-mode.js';
import type { Platform } from '../wire/platform.js';
import { ChangePlatformMode } from './change-platform-mode.js';
import {
  deliveryFilterSchema,
  platformModeSchema,
  platformSchema,
  scriptedAnswerSchema,
  tokenSchema,
} from './control-input.schema.js';
import { PlatformModesStore } from './platform-modes.store.js';
import { type ScriptedAnswer, ScriptedAnswersStore } from './scripted-answers.store.js';

/** What tests and people tell the sandbox, and what they ask it. */
@Controller('api')
export class ControlController {
  constructor(
    private readonly deliveries: DeliveriesStore,
    private readonly scripts: ScriptedAnswersStore,
    private readonly modes: PlatformModesStore,
    private readonly changePlatformMode: ChangePlatformMode,
    private readonly apns: ApnsWireServer,
  ) {}

  @Get('deliveries')
  @Header('content-type', 'application/json; charset=utf-8')
  listDeliveries(@Query({ schema: deliveryFilterSchema }) filter: DeliveryFilter): string {
    return `{"deliveries":[${this.deliveries.list(filter).join(',')}]}`;
  }

  @Get('deliveries/summary')
  summarizeDeliveries() {
    return this.deliveries.summary();
  }

  @Delete('deliveries')
  forgetDeliveries() {
    this.deliveries.forget();
    return {};
  }

  @Put('tokens/:token')
  scriptToken(
    @Param('token', { schema: tokenSchema }) token: string,
    @Body({ schema: scriptedAnswerSchema }) answer: ScriptedAnswer,
  ) {
    this.scripts.set(token, answer);
    return answer;
  }

  @Delete('tokens/:token')
  forgetToken(@Param('token', { schema: tokenSchema }) token: string) {
    this.scripts.forget(token);
    return {};
  }

  @Get('provider-tokens')
  listProviderTokens() {
    return { provider_tokens: this.apns.providerTokens() };
  }

  @Get('platforms')
  listModes() {
    return this.modes.all();
  }

  @Put('platforms/:platform')
  async setMode(
    @Param('platform', { schema: platformSchema }) platform: Platform,
    @Body({ schema: platformModeSchema }) mode: PlatformMode,
  ) {
    await this.changePlatformMode.execute(platform, mode);
    return mode;
  }
}
