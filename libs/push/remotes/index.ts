export { remoteErrors } from './remotes.errors.js';
export { RemotesModule } from './remotes.module.js';
