import { Body, Controller, Param, Put } from '@nestjs/common';
import { InstallationsStore, type RegisteredTarget } from '../fcm/installations.store.js';
import { fidSchema, installationSchema } from './control-input.schema.js';

/** The control API for what apps have registered with Google. */
@Controller('api/installations')
export class InstallationsController {
  constructor(private readonly installations: InstallationsStore) {}

  /** The app changes between its installation id and a registration token: Google ends the other one. */
  @Put(':fid')
  change(
    @Param('fid', { schema: fidSchema }) fid: string,
    @Body({ schema: installationSchema }) change: { readonly registered: RegisteredTarget },
  ) {
    this.installations.set(fid, change.registered);
    return change;
  }
}
