import { Module } from '@nestjs/common';

/** Uploaded files. */
@Module({})
export class UploadsModule {}
