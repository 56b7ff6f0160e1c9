import { Readable } from 'node:stream';
import { FileAnswer } from '#platform/http';

/** A picture that the server draws. */
export const toDrawnPictureResponse = (picture: Buffer): FileAnswer =>
  new FileAnswer({
    sizeBytes: picture.length,
    headers: {
      'Content-Type': 'image/png',
      // For a day: a later release may draw other pictures.
      'Cache-Control': 'public, max-age=86400',
      'X-Content-Type-Options': 'nosniff',
    },
    open: (range) =>
      Promise.resolve(
        Readable.from([range === null ? picture : picture.subarray(range.first, range.last + 1)]),
      ),
  });
