import type { Endpoints } from '#platform/http';
import { CompletionController } from './completion.controller.js';
import { VideoCallsController } from './video-calls.controller.js';

/** Needs VideoCallsModule. */
export const videoCallsEndpoints: Endpoints = {
  controllers: [CompletionController, VideoCallsController],
};
