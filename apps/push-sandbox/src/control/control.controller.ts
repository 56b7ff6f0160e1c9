import { Body, Controller, Delete, Get, Header, Param, Post, Put, Query } from '@nestjs/common';
import { ApnsServer } from '../apns/apns.server.js';
import { FcmServer } from '../fcm/fcm.server.js';
import { DeliveriesStore, type DeliveryFilter } from '../inbox/deliveries.store.js';
import { EncryptedPhones, type NewPhone } from '../inbox/encrypted-phones.js';
import type { Platform } from '#push/jobs';
import { type PlatformMode, platformModeSchema } from '../provider/platform.js';
import {
  deliveryFilterSchema,
  newPhoneSchema,
  platformSchema,
  scriptedAnswerSchema,
  tokenSchema,
} from './control-input.schema.js';
import { PlatformModesStore } from './platform-modes.store.js';
import { type ScriptedAnswer, ScriptedAnswersStore } from './scripted-answers.store.js';

/** The control API for tests and people. */
@Controller('api')
export class ControlController {
  constructor(
    private readonly deliveries: DeliveriesStore,
    private readonly scripts: ScriptedAnswersStore,
    private readonly modes: PlatformModesStore,
    private readonly apns: ApnsServer,
    private readonly fcm: FcmServer,
    private readonly phones: EncryptedPhones,
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

  @Get('screens')
  listScreens() {
    return { screens: this.deliveries.screens({}) };
  }

  @Get('screens/:token')
  listScreensOf(@Param('token', { schema: tokenSchema }) token: string) {
    return { screens: this.deliveries.screens({ token }) };
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

  /** The phone reads the notifications that a server encrypts for it. */
  @Post('phones')
  addPhone(@Body({ schema: newPhoneSchema }) phone: NewPhone) {
    return this.phones.add(phone);
  }

  @Get('provider-tokens')
  listProviderTokens() {
    return { provider_tokens: this.apns.providerTokens() };
  }

  @Get('platforms')
  listModes() {
    return this.modes.all();
  }

  /** Resolves when all open connections are in the mode. */
  @Put('platforms/:platform')
  async setMode(
    @Param('platform', { schema: platformSchema }) platform: Platform,
    @Body({ schema: platformModeSchema }) mode: PlatformMode,
  ) {
    this.modes.set(platform, mode);
    const listeners = platform === 'apns' ? this.apns.listeners : [this.fcm.listener];
    await Promise.all(listeners.map((listener) => listener.enter(mode)));
    return mode;
  }
}
