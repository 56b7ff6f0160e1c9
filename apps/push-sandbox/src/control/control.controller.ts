import { Body, Controller, Delete, Get, Header, Param, Post, Put, Query } from '@nestjs/common';
import { ApnsServer } from '../apns/apns.server.js';
import { DeliveriesStore, type DeliveryFilter } from '../inbox/deliveries.store.js';
import { EncryptedPhones, type NewPhone } from '../inbox/encrypted-phones.js';
import {
  deliveryFilterSchema,
  newPhoneSchema,
  scriptedAnswerSchema,
  tokenSchema,
} from './control-input.schema.js';
import { type ScriptedAnswer, ScriptedAnswersStore } from './scripted-answers.store.js';

/** The control API for tests and people. */
@Controller('api')
export class ControlController {
  constructor(
    private readonly deliveries: DeliveriesStore,
    private readonly scripts: ScriptedAnswersStore,
    private readonly apns: ApnsServer,
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
}
