import { endpoint, identifier, text } from '#edge';
import { z } from 'zod';

const common = { tag: 'uploads', access: 'user' } as const;

const realmId = identifier('The organisation that the file is in.');
const restOfLink = text(z.string().max(1024), { description: 'The rest of the link.' });

export const uploadFile = endpoint({
  ...common,
  method: 'POST',
  path: '/user_uploads',
  summary: 'Upload a file',
  description:
    'Keeps one file, and gives it a link. Only its uploader can open it, until a message that links it is sent: then those who may read the message can, too. Large files are better sent to `/tus`, where an upload goes on after an interruption.',
  parameters: {},
  file: {
    field: 'file',
    description: 'The file. Its field may have any name.',
    missing: 'noFileToUpload',
    several: 'severalFilesToUpload',
    tooLarge: 'fileTooLarge',
  },
  returns: z.object({
    url: z.string().describe('The link of the file, from the root of the server.'),
    uri: z.string().meta({ deprecated: true }).describe('The same as `url`.'),
    filename: z
      .string()
      .describe('The name of the file. It can differ from the last part of the link.'),
  }),
  errors: [
    'noFileToUpload',
    'severalFilesToUpload',
    'fileTooLarge',
    'uploadQuotaExceeded',
    'accountLimitReached',
    'insufficientStorage',
  ],
});

export const shareFile = endpoint({
  ...common,
  method: 'GET',
  path: '/user_uploads/{realm_id}/{filename...}',
  summary: 'Get a temporary address of a file',
  description:
    'Gives an address at which the file can be read without signing in, for 60 seconds: for a browser or a player that has no API key.',
  parameters: { realm_id: realmId, filename: restOfLink },
  returns: z.object({
    url: z.string().describe('The temporary address, from the root of the server.'),
  }),
  errors: ['fileDoesNotExist'],
});

export const readFile = endpoint({
  ...common,
  method: 'GET',
  path: '/user_uploads/{realm_id}/{filename...}',
  isOutsideApi: true,
  summary: 'Read a file',
  description: 'The bytes of an uploaded file, at its link.',
  parameters: { realm_id: realmId, filename: restOfLink },
  returns: 'file',
  errors: ['fileDoesNotExist'],
});

export const downloadFile = endpoint({
  ...readFile,
  path: '/user_uploads/download/{realm_id}/{filename...}',
  summary: 'Download a file',
  description: 'The same, never shown by a browser itself.',
});

export const readTemporaryFile = endpoint({
  ...readFile,
  access: 'anyone',
  path: '/user_uploads/temporary/{token}/{filename}',
  summary: 'Read a file at a temporary address',
  description: 'The bytes of an uploaded file, for whoever has the address.',
  parameters: {
    token: text(z.string().max(200), { description: 'Tells which file and until when.' }),
    filename: text(z.string().max(1024), { description: 'The last part of its link.' }),
  },
  errors: ['invalidFileToken', 'invalidFileName', 'fileDoesNotExist'],
});
