import { Controller } from '@nestjs/common';
import type { Caller } from '#contracts';
import {
  Endpoint,
  FileAnswer,
  Parameters,
  type ParametersOf,
  SentFile,
  SignedIn,
  type UploadedFile,
} from '#edge';
import {
  fileHeaders,
  KeepUpload,
  type OpenedFile,
  OpenUpload,
  ShareUpload,
  unquotedName,
} from '#uploads';
import {
  downloadFile,
  readFile,
  readTemporaryFile,
  shareFile,
  uploadFile,
} from './uploads.schema.js';

@Controller()
export class UploadsController {
  constructor(
    private readonly keepUpload: KeepUpload,
    private readonly openUpload: OpenUpload,
    private readonly shareUpload: ShareUpload,
  ) {}

  @Endpoint(uploadFile)
  async upload(@SignedIn() caller: Caller, @SentFile() file: UploadedFile) {
    const kept = await this.keepUpload.execute(caller, {
      ...file,
      fileName: unquotedName(file.fileName),
      alphabet: 'unicode',
    });
    return { url: kept.url, uri: kept.url, filename: kept.fileName };
  }

  @Endpoint(shareFile)
  async share(
    @SignedIn() caller: Caller,
    @Parameters() { realm_id, filename }: ParametersOf<typeof shareFile>,
  ) {
    return { url: await this.shareUpload.execute(caller, realm_id, filename) };
  }

  @Endpoint(readFile)
  async read(
    @SignedIn() caller: Caller,
    @Parameters() { realm_id, filename }: ParametersOf<typeof readFile>,
  ) {
    return answerOf(await this.openUpload.execute(caller, realm_id, filename));
  }

  @Endpoint(downloadFile)
  async download(
    @SignedIn() caller: Caller,
    @Parameters() { realm_id, filename }: ParametersOf<typeof downloadFile>,
  ) {
    return answerOf(await this.openUpload.execute(caller, realm_id, filename), true);
  }

  @Endpoint(readTemporaryFile)
  async readTemporary(@Parameters() { token, filename }: ParametersOf<typeof readTemporaryFile>) {
    return answerOf(await this.shareUpload.open(token, filename));
  }
}

const answerOf = (file: OpenedFile, isDownload = false): FileAnswer =>
  new FileAnswer({
    sizeBytes: file.sizeBytes,
    headers: fileHeaders(file, isDownload),
    open: (range) => file.read(range),
  });
