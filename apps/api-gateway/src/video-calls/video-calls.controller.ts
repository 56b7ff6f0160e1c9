import { Controller } from '@nestjs/common';
import type { Caller } from '#contracts';
import { Endpoint, Parameters, type ParametersOf, SignedIn } from '#edge';
import { CreateVideoCall, RegisterAtProvider } from '#video-calls';
import { createCall, registerAtProvider } from './video-calls.schema.js';

@Controller()
export class VideoCallsController {
  constructor(
    private readonly createVideoCall: CreateVideoCall,
    private readonly register: RegisterAtProvider,
  ) {}

  @Endpoint(createCall)
  async create(
    @SignedIn() caller: Caller,
    @Parameters() { video_provider }: ParametersOf<typeof createCall>,
  ) {
    return { url: await this.createVideoCall.execute(caller, video_provider) };
  }

  @Endpoint(registerAtProvider)
  async registerAt(
    @SignedIn() caller: Caller,
    @Parameters() { video_provider }: ParametersOf<typeof registerAtProvider>,
  ) {
    return { url: await this.register.execute(caller, video_provider) };
  }
}
