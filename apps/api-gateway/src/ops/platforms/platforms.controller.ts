import { HttpCode, Param, Post } from '@nestjs/common';
import { type Platform, platforms } from '#contracts';
import { PausePlatform, ResumePlatform } from '#push';
import { z } from 'zod';
import { OpsController } from '../ops-controller.js';

const schema = z.enum(platforms, {
  error: ({ input }) => `There is no platform "${String(input)}": expected apns or fcm`,
});

/** Holds a platform up, and lets it go on. */
@OpsController('ops/api/platforms/:platform')
export class PlatformsController {
  constructor(
    private readonly pausePlatform: PausePlatform,
    private readonly resumePlatform: ResumePlatform,
  ) {}

  @Post('pause')
  @HttpCode(200)
  async pause(@Param('platform', { schema }) platform: Platform) {
    await this.pausePlatform.execute(platform);
    return {};
  }

  @Post('resume')
  @HttpCode(200)
  async resume(@Param('platform', { schema }) platform: Platform) {
    await this.resumePlatform.execute(platform);
    return {};
  }
}
