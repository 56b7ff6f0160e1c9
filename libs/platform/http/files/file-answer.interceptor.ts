import { Readable } from 'node:stream';
import {
  type CallHandler,
  type ExecutionContext,
  Injectable,
  type NestInterceptor,
  StreamableFile,
} from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { defer, lastValueFrom, type Observable } from 'rxjs';

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
  const stream = request.method === 'HEAD' ? Readable.from([]) : await file.open(range);
  // The file defines its own caching.
  if ('Cache-Control' in file.headers) reply.removeHeader('Expires');
  reply.headers({ ...file.headers, 'Accept-Ranges': 'bytes' });
  if (range === null) {
    reply.header('Content-Length', file.sizeBytes);
  } else {
    request.fileStatus = 206;
    reply.headers({
      'Content-Range': `bytes ${range.first}-${range.last}/${file.sizeBytes}`,
      'Content-Length': range.last - range.first + 1,
    });
  }
  return new StreamableFile(stream);
}
