export { WelcomeMessageModule } from './welcome-message.module.js';
