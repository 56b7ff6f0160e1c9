import { Module } from '@nestjs/common';

/** Texts that a user keeps to insert into messages. */
@Module({})
export class SavedSnippetsModule {}
