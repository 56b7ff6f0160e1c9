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
import { byteRangeOf } from './byte-range.rules.js';
import { FileAnswer } from './file-answer.js';

/** Removes the file that a request brought once its route is done, and sends a file that is the answer. */
@Injectable()
export class FileInterceptor implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const http = context.switchToHttp();
    const request = http.getRequest<FastifyRequest>();
    const receiver = request.edge?.receiver;
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

/** Nest sends the stream with the contract's 200; another status takes its place when it is sent. */
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
  // How long it may be kept is the file's own matter.
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
