export { AttachmentRepository } from './attachment.repository.js';
export { fileHeaders } from './file-answer.rules.js';
export { type KeptFile, KeepUpload } from './keep-upload.js';
export { type OpenedFile, OpenUpload } from './open-upload.js';
export { RemoveUnclaimedUploads } from './remove-unclaimed-uploads.js';
export { ShareUpload } from './share-upload.js';
export {
  FILE_STORAGE,
  FileMissing,
  type FileStorage,
  type IncomingFile,
  StorageAway,
} from './storage/file-storage.js';
export { openFileStorage } from './storage/open-file-storage.js';
export type { S3Options } from './storage/s3-file-storage.js';
export { ResumableUploads } from './tus/resumable-uploads.js';
export { UploadsModule } from './uploads.module.js';
export { unquotedName } from './upload-name.rules.js';
export { prepareUploadsFolder } from './prepare-uploads-folder.js';
export { FreeSpace } from './free-space.js';
export { observeFreeSpace } from './observe-free-space.js';
