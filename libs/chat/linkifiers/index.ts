export { LinkifierLookup } from './linkifier-lookup.js';
export { linkifierErrors } from './linkifiers.errors.js';
export { LinkifiersModule } from './linkifiers.module.js';
