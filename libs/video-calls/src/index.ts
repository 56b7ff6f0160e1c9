export { CompleteRegistration } from './complete-registration.js';
export { CreateVideoCall } from './create-video-call.js';
export { RegisterAtProvider } from './register-at-provider.js';
export { providerNames } from './video-call-provider.js';
export { VideoCallsModule } from './video-calls.module.js';
export { VideoCallTokens } from './video-call-tokens.js';
