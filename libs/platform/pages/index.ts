export { BASE_STYLES, ServedFiles } from './served-files.js';
