export { WelcomeMessageController } from './welcome-message.controller.js';
