export { DraftsController } from './drafts.controller.js';
