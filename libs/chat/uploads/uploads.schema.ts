import { endpoint, identifier, text } from '#platform/http';
import { z } from 'zod';
import { limitErrors, requestErrors } from '#platform/contracts';
import { uploadErrors } from './uploads.errors.js';

const common = { tag: 'uploads', access: 'user' } as const;

const realmId = identifier('The organisation of the file.');
const restOfLink = text(z.string().max(1024), { description: 'The rest of the link.' });

export const uploadFile = endpoint({
  ...common,
  method: 'POST',
  path: '/user_uploads',
  summary: 'Upload a file',
  description:
    'Stores a file and returns its link. At first, only the uploader can open the file. Once a message links it, the readers of the message can open it, too. For large files, `/tus` supports uploads that can be resumed.',
  parameters: {},
  file: {
    field: 'file',
    description: 'The file, in a field of any name.',
    missing: uploadErrors.noFileToUpload,
    several: uploadErrors.severalFilesToUpload,
    tooLarge: uploadErrors.fileTooLarge,
  },
  returns: z.object({
    url: z.string().describe('The path of the file, from the root of the server.'),
    uri: z.string().meta({ deprecated: true }).describe('The same as `url`.'),
    filename: z
      .string()
      .describe('The name of the file, which may differ from the last part of the link.'),
  }),
  errors: [
    uploadErrors.noFileToUpload,
    uploadErrors.severalFilesToUpload,
    uploadErrors.fileTooLarge,
    uploadErrors.uploadQuotaExceeded,
    limitErrors.accountLimitReached,
    requestErrors.insufficientStorage,
  ],
});

const attachment = z.object({
  id: z.int(),
  name: z.string(),
  path_id: z.string().describe('The link of the file is `/user_uploads/` and this path.'),
  size: z.int().describe('Bytes.'),
  create_time: z.int().describe('UNIX seconds.'),
  message_ids: z
    .array(z.int())
    .describe('The newest 1000 messages that link the file, in ascending order.'),
});

export const listAttachments = endpoint({
  ...common,
  method: 'GET',
  path: '/attachments',
  summary: 'List the own files',
  description:
    'Returns the newest 10000 files that the caller has uploaded, in the order of their ids.',
  parameters: {},
  largestAnswerBytes: 10_000_000,
  takesAnswerSlot: true,
  returns: z.object({
    attachments: z.array(attachment),
    upload_space_used: z.int().describe('The size of all files of the organisation in bytes.'),
  }),
  errors: [],
});

export const deleteAttachment = endpoint({
  ...common,
  method: 'DELETE',
  path: '/attachments/{attachment_id}',
  summary: 'Delete an own file',
  description:
    'Deletes a file that the caller has uploaded. Links to it in messages stay and lead nowhere.',
  parameters: { attachment_id: identifier('The id of the file.') },
  returns: z.object({}),
  errors: [uploadErrors.invalidAttachment],
});

export const shareFile = endpoint({
  ...common,
  method: 'GET',
  path: '/user_uploads/{realm_id}/{filename...}',
  summary: 'Get a temporary address of a file',
  description:
    'Returns an address at which the file can be read for 60 seconds without a sign-in, for example by a browser or a player without an API key.',
  parameters: { realm_id: realmId, filename: restOfLink },
  returns: z.object({
    url: z.string().describe('The temporary address, from the root of the server.'),
  }),
  errors: [uploadErrors.fileDoesNotExist],
});

export const thumbnailStatus = endpoint({
  ...common,
  method: 'GET',
  path: '/thumbnail/status/{realm_id}/{filename...}',
  summary: 'Ask whether a file has a thumbnail',
  description:
    'Returns whether a smaller picture of an uploaded file exists. The server makes none: clients show the file itself.',
  parameters: { realm_id: realmId, filename: restOfLink },
  returns: z.object({ has_thumbnail: z.literal(false) }),
  errors: [uploadErrors.fileDoesNotExist],
});

export const readFile = endpoint({
  ...common,
  method: 'GET',
  path: '/user_uploads/{realm_id}/{filename...}',
  isOutsideApi: true,
  summary: 'Read a file',
  description: 'Returns the bytes of an uploaded file.',
  parameters: { realm_id: realmId, filename: restOfLink },
  returns: 'file',
  errors: [uploadErrors.fileDoesNotExist],
});

export const downloadFile = endpoint({
  ...readFile,
  path: '/user_uploads/download/{realm_id}/{filename...}',
  summary: 'Download a file',
  description:
    'Returns the bytes of an uploaded file as a download, which browsers never show inline.',
});

export const readTemporaryFile = endpoint({
  ...readFile,
  access: 'anyone',
  path: '/user_uploads/temporary/{token}/{filename}',
  summary: 'Read a file at a temporary address',
  description: 'Returns the bytes of an uploaded file, without a sign-in.',
  parameters: {
    token: text(z.string().max(200), { description: 'The signed id and expiry of the file.' }),
    filename: text(z.string().max(1024), { description: 'The last part of the link of the file.' }),
  },
  errors: [
    uploadErrors.invalidFileToken,
    uploadErrors.invalidFileName,
    uploadErrors.fileDoesNotExist,
  ],
});
