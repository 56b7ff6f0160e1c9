import { type DynamicModule, Module } from '@nestjs/common';
import { UserGroupsModule } from '#directory/groups';
import { RealmStateEvents } from './realm-state.events.js';
import { REALM_STATE_OPTIONS, type RealmStateOptions } from './realm-state.options.js';
import { RealmStateRepository } from './realm-state.repository.js';

/** The organisation in the state of `POST /register`; needs AuthModule, DatabaseModule and a PUSH_AVAILABILITY. */
@Module({})
export class RealmStateModule {
  static with(options: RealmStateOptions): DynamicModule {
    return {
      module: RealmStateModule,
      imports: [UserGroupsModule],
      providers: [
        { provide: REALM_STATE_OPTIONS, useValue: options },
        RealmStateEvents,
        RealmStateRepository,
      ],
    };
  }
}
