export { addResumableUploads } from './tus/resumable-uploads.js';
export { UploadsController } from './uploads.controller.js';
