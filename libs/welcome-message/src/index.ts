export { SendTestWelcomeMessage } from './send-test-welcome-message.js';
export { WelcomeMessageModule } from './welcome-message.module.js';
