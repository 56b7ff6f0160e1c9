export { VideoCallsModule } from './video-calls.module.js';
export { videoCallErrors } from './video-calls.errors.js';
