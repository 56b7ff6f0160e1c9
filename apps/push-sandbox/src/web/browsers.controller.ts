import { Body, Controller, NotFoundException, Param, Post, Put } from '@nestjs/common';
import {
  browserChangeSchema,
  newBrowserSchema,
  tokenSchema,
} from '../control/control-input.schema.js';
import { Browsers } from './browsers.js';

/** The control API for browsers. */
@Controller('api/browsers')
export class BrowsersController {
  constructor(private readonly browsers: Browsers) {}

  /** A browser subscribes, by default without a VAPID key. */
  @Post()
  add(@Body({ schema: newBrowserSchema }) browser: { readonly vapid_public_key?: string }) {
    return this.browsers.add(browser.vapid_public_key?.replace(/=+$/, '') ?? null);
  }

  @Put(':token')
  change(
    @Param('token', { schema: tokenSchema }) token: string,
    @Body({ schema: browserChangeSchema }) change: { readonly online: boolean },
  ) {
    if (!this.browsers.switch(token, change.online, new Date())) {
      throw new NotFoundException('There is no such browser');
    }
    return change;
  }
}
