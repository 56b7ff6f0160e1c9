export { VideoCallsModule } from './video-calls.module.js';
export { VideoCallTokens } from './video-call-tokens.js';
export { videoCallErrors } from './video-calls.errors.js';
