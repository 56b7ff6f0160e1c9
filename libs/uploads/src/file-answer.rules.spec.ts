import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { fileHeaders } from './file-answer.rules.js';

const dispositionOf = (contentType: string, isDownload = false) =>
  fileHeaders({ fileName: 'a', contentType }, isDownload)['Content-Disposition'];

describe(fileHeaders.name, () => {
  it.each([
    'image/png',
    'image/jpeg',
    'image/webp',
    'audio/mpeg',
    'video/mp4',
    'application/pdf',
    'text/plain',
  ])('has %s shown, unless it is to be downloaded', (contentType) => {
    expect(dispositionOf(contentType)).toBe('inline; filename="a"');
    expect(dispositionOf(contentType, true)).toBe('attachment; filename="a"');
  });

  it.each([
    'text/html',
    'image/svg+xml',
    'application/xhtml+xml',
    'text/javascript',
    'application/octet-stream',
    'image/png2',
  ])('has %s downloaded', (contentType) => {
    expect(dispositionOf(contentType)).toBe('attachment; filename="a"');
  });

  it.each([
    'text/javascript',
    'application/javascript',
    'application/x-javascript',
    'text/ecmascript',
    'application/ecmascript',
    'text/jscript',
    'text/livescript',
    'text/x-javascript',
    'text/javascript1.5',
  ])('does not serve %s as a script', (contentType) => {
    const headers = fileHeaders({ fileName: 'a.js', contentType }, false);
    expect(headers['Content-Type']).toBe('application/octet-stream');
  });

  it('lets nothing in a file act as a page, and nobody but its reader keep it', () => {
    expect(fileHeaders({ fileName: 'a', contentType: 'text/plain' }, false)).toMatchObject({
      'Content-Type': 'text/plain',
      'Content-Security-Policy': expect.stringMatching(/^default-src 'none';.* sandbox$/),
      'X-Content-Type-Options': 'nosniff',
      'Cache-Control': expect.stringMatching(/^private,/),
    });
  });

  it('tells any name in a header that can be sent', () => {
    expect(
      fileHeaders({ fileName: 'grüße "日".txt', contentType: 'text/plain' }, true),
    ).toMatchObject({
      'Content-Disposition': `attachment; filename="gr??e \\"?\\".txt"; filename*=UTF-8''gr%C3%BC%C3%9Fe%20%22%E6%97%A5%22.txt`,
    });
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (fileName) => {
        const headers = fileHeaders({ fileName, contentType: 'text/plain' }, false);
        expect(headers['Content-Disposition']).toMatch(/^[\x20-\x7e]+$/);
      }),
    );
  });
});
