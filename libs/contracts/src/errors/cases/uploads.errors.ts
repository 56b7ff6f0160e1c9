import { badRequest, type CataloguedError } from '../catalogued-error.js';

/** Uploads. */
export const uploadErrors = {
  noFileToUpload: badRequest('You must specify a file to upload'),
  severalFilesToUpload: badRequest('You may only upload one file at a time'),
  fileTooLarge: badRequest(
    "File is larger than this server's configured maximum upload size ({limit} MiB).",
  ),
  uploadQuotaExceeded: {
    code: 'REALM_UPLOAD_QUOTA',
    status: 400,
    msg: "Upload would exceed your organization's upload quota.",
  },
  insufficientStorage: {
    code: 'INSUFFICIENT_STORAGE',
    status: 507,
    msg: 'The server has no room for files at the moment.',
  },
  fileDoesNotExist: {
    code: 'BAD_REQUEST',
    status: 404,
    msg: 'This file does not exist or has been deleted.',
  },
  invalidFileToken: badRequest('Invalid token'),
  invalidFileName: badRequest('Invalid filename'),
} as const satisfies Record<string, CataloguedError>;
