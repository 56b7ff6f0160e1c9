import { Controller } from '@nestjs/common';
import type { Caller } from '#platform/contracts';
import { Endpoint, Parameters, type ParametersOf, SignedIn } from '#platform/http';
import { RegistrationService } from './registration.service.js';
import { createCall, registerAtProvider } from './video-calls.schema.js';
import { VideoCallsService } from './video-calls.service.js';

@Controller()
export class VideoCallsController {
  constructor(
    private readonly calls: VideoCallsService,
    private readonly registrations: RegistrationService,
  ) {}

  @Endpoint(createCall)
  async create(
    @SignedIn() caller: Caller,
    @Parameters() { video_provider }: ParametersOf<typeof createCall>,
  ) {
    return { url: await this.calls.create(caller, video_provider) };
  }

  @Endpoint(registerAtProvider)
  async registerAt(
    @SignedIn() caller: Caller,
    @Parameters() { video_provider }: ParametersOf<typeof registerAtProvider>,
  ) {
    return { url: await this.registrations.start(caller, video_provider) };
  }
}
