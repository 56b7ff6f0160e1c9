export { VideoCallsModule } from './video-calls.module.js';
