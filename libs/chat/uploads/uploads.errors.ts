import { badRequest, defineErrors } from '#platform/contracts';

export const uploadErrors = defineErrors({
  noFileToUpload: badRequest(
    'You must specify a file to upload',
    'A request to upload a file has no file.',
  ),
  severalFilesToUpload: badRequest(
    'You may only upload one file at a time',
    'A request to upload a file has more than one file.',
  ),
  fileTooLarge: badRequest(
    "File is larger than this server's configured maximum upload size ({limit} MiB).",
    'A file is larger than `MAX_FILE_UPLOAD_SIZE`.',
  ),
  uploadQuotaExceeded: {
    code: 'REALM_UPLOAD_QUOTA',
    status: 400,
    msg: "Upload would exceed your organization's upload quota.",
    when: 'The file would exceed the quota for all files of the organisation.',
  },
  fileDoesNotExist: {
    code: 'BAD_REQUEST',
    status: 404,
    msg: 'This file does not exist or has been deleted.',
    when: 'The file does not exist, or the caller cannot read it.',
  },
  invalidAttachment: badRequest(
    'Invalid attachment',
    'The caller has uploaded no file with this id.',
  ),
  invalidFileToken: badRequest(
    'Invalid token',
    'A temporary address of a file is forged, or older than 60 seconds.',
  ),
  invalidFileName: badRequest(
    'Invalid filename',
    'A temporary address does not end in the name of its file.',
  ),
});
