import { pipeline, Readable, Transform } from 'node:stream';
import {
  type CallHandler,
  type ExecutionContext,
  Injectable,
  Logger,
  type NestInterceptor,
  StreamableFile,
} from '@nestjs/common';
import { errorText, Sampler } from '#platform/core';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { defer, lastValueFrom, type Observable } from 'rxjs';
import { ownerOf } from '../server/request-owner.js';
import { openWhenFree } from './open-files.js';

/** A part of a file, from the first to the last byte inclusive. */
export interface ByteRange {
  readonly first: number;
  readonly last: number;
}

const ONE_RANGE = /^bytes=(\d{0,15})-(\d{0,15})$/;

/**
 * The range that a `Range` header selects. Null means the whole file: also for an invalid header and for several ranges.
 * `unsatisfiable` means that the file has no such bytes. `@fastify/send` knows ranges of files on disk only, and these may
 * be in a bucket.
 */
export function byteRangeOf(
  header: string | undefined,
  sizeBytes: number,
): ByteRange | 'unsatisfiable' | null {
  const [, from = '', to = ''] = ONE_RANGE.exec(header?.trim() ?? '') ?? [];
  if (from === '' && to === '') return null;
  if (from === '') {
    const length = Math.min(Number(to), sizeBytes);
    return length === 0 ? 'unsatisfiable' : { first: sizeBytes - length, last: sizeBytes - 1 };
  }
  const first = Number(from);
  const last = to === '' ? sizeBytes - 1 : Math.min(Number(to), sizeBytes - 1);
  if (to !== '' && Number(to) < first) return null;
  return first >= sizeBytes ? 'unsatisfiable' : { first, last };
}

interface AnsweredFile {
  readonly sizeBytes: number;
  /** Without Content-Length, which the edge adds. */
  readonly headers: Readonly<Record<string, string>>;
  /** Opens the whole file or a range. Called at most once, and not for HEAD. */
  readonly open: (range: ByteRange | null) => Promise<Readable>;
}

/** The result of an endpoint that `returns: 'file'`: only the bytes are sent, without the envelope. */
export class FileAnswer {
  constructor(readonly file: AnsweredFile) {}
}

/** Sends a FileAnswer, and removes the uploaded file of a request after its route. */
@Injectable()
export class FileInterceptor implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const http = context.switchToHttp();
    const request = http.getRequest<FastifyRequest>();
    const receiver = request.endpoint?.receiver;
    return defer(async () => {
      try {
        const answer: unknown = await lastValueFrom(next.handle(), { defaultValue: undefined });
        if (!(answer instanceof FileAnswer)) return answer;
        return await openFile(answer, request, http.getResponse<FastifyReply>());
      } finally {
        await receiver?.discard();
      }
    });
  }
}

/** Nest sends the stream with status 200; an `onSend` hook replaces it by `fileStatus`. */
async function openFile(
  { file }: FileAnswer,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<StreamableFile> {
  const range = byteRangeOf(request.headers.range, file.sizeBytes);
  if (range === 'unsatisfiable') {
    request.fileStatus = 416;
    reply.headers({ 'Content-Range': `bytes */${file.sizeBytes}`, 'Content-Length': 0 });
    return new StreamableFile(Readable.from([]));
  }
  const lengthBytes = range === null ? file.sizeBytes : range.last - range.first + 1;
  const stream =
    request.method === 'HEAD'
      ? Readable.from([])
      : whole(await openWhenFree(ownerOf(request), () => file.open(range)), lengthBytes);
  // The file defines its own caching.
  if ('Cache-Control' in file.headers) reply.removeHeader('Expires');
  reply.headers({ ...file.headers, 'Accept-Ranges': 'bytes' });
  reply.header('Content-Length', lengthBytes);
  if (range !== null) {
    request.fileStatus = 206;
    reply.header('Content-Range', `bytes ${range.first}-${range.last}/${file.sizeBytes}`);
  }
  return new StreamableFile(stream);
}

/** The bytes of a file could not be read, or end early. */
class FileUnreadable extends Error {
  override readonly name = 'FileUnreadable';
  /** The error filter recognises outages by this code. */
  readonly code = 'STORAGE_AWAY';

  constructor(cause: Error) {
    super(`A file could not be read to its end: ${errorText(cause)}`, { cause });
  }
}

const logger = new Logger('Files');
const failures = new Sampler();

/**
 * The same bytes; fails when they end before the announced length, because the client would wait for the rest. Destroying it
 * destroys the source.
 */
function whole(source: Readable, lengthBytes: number): Readable {
  let missing = lengthBytes;
  const bytes = new Transform({
    transform: (chunk: Buffer, _encoding, done) => {
      missing -= chunk.length;
      done(null, chunk);
    },
    flush: (done) => {
      done(missing > 0 ? new Error(`${missing} of ${lengthBytes} bytes are missing`) : null);
    },
    destroy: (error, done) => {
      if (error === null) return done(null);
      const unreadable = new FileUnreadable(error);
      const count = failures.take();
      if (count !== null) logger.warn(`${unreadable.message} (${count} since the last entry)`);
      done(unreadable);
    },
  });
  return pipeline(source, bytes, () => undefined);
}
