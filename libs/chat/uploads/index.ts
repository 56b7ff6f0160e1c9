export { observeFreeSpace } from './observe-free-space.js';
export { prepareUploadsFolder } from './prepare-uploads-folder.js';
export { RemovedFileRepository } from './removed-file.repository.js';
export {
  FILE_STORAGE,
  FileMissing,
  type FileStorage,
  StorageUnavailable,
} from './storage/file-storage.js';
export { openFileStorage } from './storage/open-file-storage.js';
export { uploadErrors } from './uploads.errors.js';
export { UploadsModule } from './uploads.module.js';
export { MAX_LISTED as MAX_LISTED_FILES } from './own-files.service.js';
