import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { addStreamingRoute, API_PREFIX } from '#edge';
import { ResumableUploads } from '#uploads';

/** Serves resumable uploads, whose requests and answers are those of the tus protocol. */
export async function addResumableUploads(app: NestFastifyApplication): Promise<void> {
  const uploads = app.get(ResumableUploads, { strict: false });
  await addStreamingRoute(app, {
    path: `${API_PREFIX}/tus`,
    access: 'user',
    handle: (request, response, caller) => uploads.handle(request, response, caller),
    refusalBody: ({ error }) =>
      error.status === 401 ? JSON.stringify({ message: 'Unauthenticated upload' }) : undefined,
  });
}
