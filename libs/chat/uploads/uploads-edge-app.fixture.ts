import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Readable } from 'node:stream';
import { Controller, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import {
  type Authenticator,
  ApiError,
  MEBIBYTE,
  requestErrors,
  signInErrors,
} from '#platform/contracts';
import {
  buildEdge,
  createEdgeAdapter,
  EdgeModule,
  Endpoint,
  endpoint,
  FileAnswer,
  Parameters,
  type ParametersOf,
  SentFile,
  text,
  type UploadedFile,
} from '#platform/http';
import { z } from 'zod';
import { type OutgoingRequest, type Reply, sendRequest } from '#test/http-request';
import { stubAuth, testCaller } from '#test/edge-authenticator';
import { userErrors } from '#directory/users';

const about = {
  summary: 'A file',
  description: 'A file.',
  tag: 'Files',
  access: 'user',
  errors: [],
} as const;
const returns = z.looseObject({});
const file = {
  field: 'file',
  description: 'Any file.',
  missing: requestErrors.malformedJson,
  several: requestErrors.malformedRequest,
  tooLarge: requestErrors.bodyTooLarge,
} as const;
const note = text(z.string().max(5).optional(), { description: 'A note.' });

const takeFile = endpoint({
  ...about,
  method: 'POST',
  path: '/file',
  parameters: { note },
  file,
  returns,
});
const takeSmallFile = endpoint({
  ...about,
  method: 'POST',
  path: '/small_file',
  parameters: {},
  file: { ...file, limitMib: 1 },
  returns,
});
const takeAndFail = endpoint({ ...takeFile, path: '/failing_file' });
const takeNone = endpoint({
  ...about,
  method: 'POST',
  path: '/no_file',
  parameters: { note },
  returns,
});
const readFileBelow = endpoint({
  ...about,
  method: 'GET',
  path: '/files/{shelf}/{rest...}',
  isOutsideApi: true,
  parameters: {
    shelf: text(z.string(), { description: 'Where.' }),
    rest: text(z.string(), { description: 'Which.' }),
  },
  returns: 'file',
});

@Controller()
class FileController {
  @Endpoint(takeFile)
  async take(
    @SentFile() sent: UploadedFile,
    @Parameters() { note: given }: ParametersOf<typeof takeFile>,
  ) {
    const { path: at, ...metadata } = sent;
    return { note: given, metadata, text: (await readFile(at, 'latin1')).slice(0, 40) };
  }

  @Endpoint(takeSmallFile)
  takeSmall(@SentFile() { sizeBytes }: UploadedFile) {
    return { sizeBytes };
  }

  @Endpoint(takeAndFail)
  fail(): never {
    throw new ApiError(userErrors.noSuchUser);
  }

  @Endpoint(takeNone)
  takeNone(@Parameters() given: ParametersOf<typeof takeNone>) {
    return { given };
  }

  @Endpoint(readFileBelow)
  read(@Parameters() { shelf, rest }: ParametersOf<typeof readFileBelow>) {
    if (rest === 'none') throw new ApiError(requestErrors.notFound);
    if (rest === 'unreadable') return unreadableFile();
    if (rest === 'large') return largeFile();
    const bytes = Buffer.from(`${shelf} and ${rest}`);
    return new FileAnswer({
      sizeBytes: rest === 'short' ? bytes.length + 1 : bytes.length,
      headers: { 'Content-Type': 'text/x-test', 'Cache-Control': 'private' },
      open: (range) =>
        Promise.resolve(
          Readable.from([range === null ? bytes : bytes.subarray(range.first, range.last + 1)]),
        ),
    });
  }
}

const unreadableFile = () =>
  new FileAnswer({
    sizeBytes: 5,
    headers: {},
    open: () =>
      Promise.resolve(
        new Readable({
          read() {
            this.destroy(new Error('The disk broke'));
          },
        }),
      ),
  });

/** The large files that are open. */
const openFiles = new Set<Readable>();

/** A file that fits into no buffer. */
const largeFile = () =>
  new FileAnswer({
    sizeBytes: LARGE_BYTES,
    headers: {},
    open: () => {
      const bytes = Readable.from(Array.from({ length: LARGE_BYTES / MEBIBYTE }, () => PART));
      openFiles.add(bytes);
      bytes.once('close', () => openFiles.delete(bytes));
      return Promise.resolve(bytes);
    },
  });

const LARGE_BYTES = 200 * MEBIBYTE;
const PART = Buffer.alloc(MEBIBYTE);

/** Accepts any credentials. */
class StubAuthenticator implements Authenticator {
  authenticate({ authorization }: { readonly authorization: string | undefined }) {
    return authorization === undefined
      ? Promise.reject(new ApiError(signInErrors.notLoggedIn))
      : Promise.resolve(testCaller);
  }

  known(): null {
    return null;
  }

  charge(): Promise<void> {
    return Promise.resolve();
  }
}

/** A running edge with endpoints that accept and return files. */
export interface FileApp {
  readonly port: number;
  /** The names of the files in the spool folder. */
  spooled(): Promise<string[]>;
  /** The number of large files that are being read. */
  openFiles(): number;
  /** Sends a request with credentials. */
  call(method: string, path: string, options?: OutgoingRequest): Promise<Reply>;
  close(): Promise<void>;
}

/** Starts the app; it accepts files of up to 2 MiB. */
export async function startFileApp(): Promise<FileApp> {
  const folder = await mkdtemp(path.join(tmpdir(), 'carillon-spool-'));
  @Module({
    imports: [
      EdgeModule.withFiles({ folder, limitMib: 2, leastFreeMib: 0 }),
      stubAuth(StubAuthenticator),
    ],
    controllers: [FileController],
  })
  class FileModule {}
  const app = await NestFactory.create<NestFastifyApplication>(FileModule, createEdgeAdapter([]), {
    logger: false,
    bodyParser: false,
  });
  await buildEdge(app);
  await app.listen(0, '127.0.0.1');
  const { port } = app.getHttpServer().address() as AddressInfo; // It listens on TCP.
  return {
    port,
    spooled: () => readdir(folder),
    openFiles: () => openFiles.size,
    call: (method, below, options = {}) =>
      sendRequest(`http://127.0.0.1:${port}${below}`, {
        ...options,
        method,
        headers: { authorization: 'Basic in', ...options.headers },
      }),
    close: async () => {
      await app.close();
      await rm(folder, { recursive: true });
    },
  };
}
