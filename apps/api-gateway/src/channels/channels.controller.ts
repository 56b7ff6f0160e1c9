import { Controller } from '@nestjs/common';

@Controller()
export class ChannelsController {}
