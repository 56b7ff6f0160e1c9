import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { badRequest, defineErrors, requestErrors, signInErrors } from '#platform/contracts';
import { endpoint } from '../endpoint.js';
import { header, json, text } from '../parameters/parameter.js';
import { openApiDocument } from './openapi-document.js';

const specErrors = defineErrors({ notChosen: badRequest('You are not chosen', 'In the spec.') });

const setStatus = endpoint({
  method: 'POST',
  path: '/users/{user_id}/status',
  summary: 'Set a status',
  description: 'Sets the status of a user.',
  tag: 'Users',
  access: { who: 'some', error: specErrors.notChosen, isMetBy: () => true },
  parameters: {
    user_id: json(z.int(), { description: 'Whose status.' }),
    status_text: text(z.string().max(60).optional(), { description: 'What it says.' }),
    away: json(z.boolean(), { description: 'Away.', isDeprecated: true }),
  },
  returns: z.object({}),
  errors: [signInErrors.userDeactivated],
});

const list = endpoint({
  method: 'GET',
  path: '/streams',
  summary: 'List channels',
  description: 'Lists them.',
  tag: 'Channels',
  access: 'anyone',
  isDeprecated: true,
  parameters: {
    include_all: json(z.boolean().default(false), { description: 'All of them.' }),
    name: text(z.string(), { description: 'Its name.' }),
  },
  returns: z.object({ streams: z.array(z.object({ stream_id: z.int() })) }),
  errors: [],
});

const remove = endpoint({ ...list, method: 'DELETE', isDeprecated: false });

const upload = endpoint({
  ...setStatus,
  path: '/files',
  tag: 'Files',
  parameters: {
    note: text(z.string().optional(), { description: 'A note.' }),
    'X-Shelf': header(z.string(), { description: 'Where it goes.' }),
  },
  file: {
    field: 'file',
    description: 'Any file.',
    missing: requestErrors.malformedRequest,
    several: requestErrors.malformedRequest,
    tooLarge: requestErrors.bodyTooLarge,
  },
});

const share = endpoint({
  ...list,
  path: '/files/{shelf}/{rest...}',
  tag: 'Files',
  parameters: {
    shelf: text(z.string(), { description: 'Where.' }),
    rest: text(z.string(), { description: 'Which.' }),
  },
});

const read = endpoint({ ...share, tag: 'Links', isOutsideApi: true, returns: 'file' });

const sut = openApiDocument([setStatus, list, remove, upload, share, read], {
  version: '1.2.3',
  serverUrl: 'https://chat.example.org',
});

describe(openApiDocument.name, () => {
  it('is an OpenAPI 3.1 document with each path and method once', () => {
    expect(sut).toMatchObject({
      openapi: '3.1.0',
      info: { title: 'Carillon', version: '1.2.3' },
      servers: [{ url: 'https://chat.example.org/api/v1' }],
      tags: [{ name: 'Users' }, { name: 'Channels' }, { name: 'Files' }],
      paths: {
        '/users/{user_id}/status': {
          post: { operationId: 'postUsersUserIdStatus', tags: ['Users'] },
        },
        '/streams': {
          get: { operationId: 'getStreams', deprecated: true },
          delete: { operationId: 'deleteStreams' },
        },
      },
    });
  });

  it('names the parameters that an endpoint refuses, with the error', () => {
    const refusing = openApiDocument([{ ...setStatus, refuses: ['email', 'name'] }], {
      version: '1',
      serverUrl: '',
    });
    const refused = 'A request with one of these parameters is refused: `email`, `name`.';
    expect(refusing).toMatchObject({
      paths: {
        '/users/{user_id}/status': {
          post: {
            description: expect.stringContaining(refused),
            responses: {
              400: { description: expect.stringContaining('does not support the parameter') },
            },
          },
        },
      },
    });
  });

  it('lists the errors of every request once', () => {
    const operation = { responses: { default: { $ref: '#/components/responses/OtherError' } } };
    expect(sut).toMatchObject({
      paths: { '/streams': { get: operation, delete: operation } },
      components: {
        responses: {
          OtherError: { description: expect.stringContaining('503 SERVICE_UNAVAILABLE: ') },
        },
      },
    });
  });

  it('lists headers separately from the fields of a form', () => {
    expect(sut).toMatchObject({
      paths: {
        '/files': {
          post: {
            parameters: [
              { name: 'X-Shelf', in: 'header', required: true, schema: { type: 'string' } },
            ],
          },
        },
      },
    });
  });

  it('lists parameters of the path and of the query, marking those in JSON', () => {
    expect(sut).toMatchObject({
      paths: {
        '/users/{user_id}/status': {
          post: { parameters: [{ name: 'user_id', in: 'path', required: true }] },
        },
        '/streams': {
          get: {
            parameters: [
              {
                name: 'include_all',
                in: 'query',
                required: false,
                content: { 'application/json': { schema: { type: 'boolean', default: false } } },
              },
              { name: 'name', in: 'query', required: true, schema: { type: 'string' } },
            ],
          },
        },
      },
    });
  });

  it('makes all other parameters fields of a form, marking those in JSON', () => {
    expect(sut).toMatchObject({
      paths: {
        '/users/{user_id}/status': {
          post: {
            requestBody: {
              content: {
                'application/x-www-form-urlencoded': {
                  schema: {
                    type: 'object',
                    properties: {
                      status_text: { type: 'string', maxLength: 60, description: 'What it says.' },
                      away: { type: 'boolean', deprecated: true },
                    },
                    required: ['away'],
                  },
                  encoding: { away: { contentType: 'application/json' } },
                },
              },
            },
          },
        },
        '/streams': {
          delete: {
            requestBody: {
              content: {
                'application/x-www-form-urlencoded': {
                  schema: { properties: { include_all: {}, name: {} } },
                },
              },
            },
          },
        },
      },
    });
  });

  it('describes a file as a field of a multipart form', () => {
    expect(sut).toHaveProperty(['paths', '/files', 'post', 'requestBody', 'content'], {
      'multipart/form-data': {
        schema: {
          type: 'object',
          properties: {
            note: { type: 'string', description: 'A note.' },
            file: { type: 'string', format: 'binary', description: 'Any file.' },
          },
          required: ['file'],
        },
        encoding: {},
      },
    });
  });

  it('describes the rest of a path as a parameter, and omits endpoints outside of the API', () => {
    expect(sut).toMatchObject({
      paths: {
        '/files/{shelf}/{rest}': {
          get: {
            operationId: 'getFilesShelfRest',
            parameters: [
              { name: 'shelf', in: 'path', required: true },
              { name: 'rest', in: 'path', required: true },
            ],
            responses: { '200': { content: { 'application/json': {} } } },
          },
        },
      },
    });
  });

  it("describes a success with the envelope and the endpoint's own members", () => {
    expect(sut).toMatchObject({
      paths: {
        '/streams': {
          get: {
            responses: {
              '200': {
                content: {
                  'application/json': {
                    schema: {
                      properties: {
                        result: { const: 'success' },
                        ignored_parameters_unsupported: { type: 'array' },
                        streams: { type: 'array' },
                      },
                      required: expect.arrayContaining(['result', 'msg', 'streams']),
                    },
                  },
                },
              },
            },
          },
        },
      },
    });
  });

  it('lists the sign-in and its errors only for endpoints that require it', () => {
    expect(sut).toMatchObject({
      paths: {
        '/users/{user_id}/status': {
          post: {
            security: [{ basic: [] }],
            responses: {
              '400': {
                description: expect.stringContaining('You are not chosen'),
              },
              '401': {
                content: {
                  'application/json': { examples: { notLoggedIn: {}, userDeactivated: {} } },
                },
              },
              '429': {},
            },
          },
        },
        '/streams': { get: { security: [] } },
      },
    });
    expect(sut).not.toHaveProperty(['paths', '/streams', 'get', 'responses', '401']);
  });

  it('is serializable as JSON', () => {
    expect(JSON.parse(JSON.stringify(sut))).toEqual(sut);
  });
});
