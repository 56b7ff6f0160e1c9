export { CompletionController } from './completion.controller.js';
export { VideoCallsController } from './video-calls.controller.js';
