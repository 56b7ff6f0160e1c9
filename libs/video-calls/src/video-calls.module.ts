import { Module } from '@nestjs/common';

/** Calls at providers of video meetings. */
@Module({})
export class VideoCallsModule {}
