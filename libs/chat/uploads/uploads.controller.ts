import { Controller } from '@nestjs/common';
import { toAttachmentResponse } from '#chat/attachments';
import type { Caller } from '#platform/contracts';
import {
  Endpoint,
  FileAnswer,
  Parameters,
  type ParametersOf,
  SentFile,
  SignedIn,
  type UploadedFile,
} from '#platform/http';
import { TemporaryLinks } from './temporary-links.js';
import { OwnFilesService } from './own-files.service.js';
import { fileHeaders, unquotedName } from './uploads.rules.js';
import {
  deleteAttachment,
  downloadFile,
  listAttachments,
  readFile,
  readTemporaryFile,
  shareFile,
  thumbnailStatus,
  uploadFile,
} from './uploads.schema.js';
import { type FileContent, UploadsService } from './uploads.service.js';

@Controller()
export class UploadsController {
  constructor(
    private readonly uploads: UploadsService,
    private readonly temporaryLinks: TemporaryLinks,
    private readonly ownFiles: OwnFilesService,
  ) {}

  @Endpoint(uploadFile)
  async upload(@SignedIn() caller: Caller, @SentFile() file: UploadedFile) {
    const stored = await this.uploads.store(caller, {
      ...file,
      fileName: unquotedName(file.fileName),
      alphabet: 'unicode',
    });
    return { url: stored.url, uri: stored.url, filename: stored.fileName };
  }

  @Endpoint(listAttachments)
  async list(@SignedIn() caller: Caller) {
    const { files, usedBytes } = await this.ownFiles.list(caller);
    return { attachments: files.map(toAttachmentResponse), upload_space_used: usedBytes };
  }

  @Endpoint(deleteAttachment)
  async remove(
    @SignedIn() caller: Caller,
    @Parameters() { attachment_id }: ParametersOf<typeof deleteAttachment>,
  ) {
    await this.ownFiles.remove(caller, attachment_id);
  }

  @Endpoint(shareFile)
  async share(
    @SignedIn() caller: Caller,
    @Parameters() { realm_id, filename }: ParametersOf<typeof shareFile>,
  ) {
    return { url: await this.temporaryLinks.create(caller, realm_id, filename) };
  }

  @Endpoint(thumbnailStatus)
  async thumbnail(
    @SignedIn() caller: Caller,
    @Parameters() { realm_id, filename }: ParametersOf<typeof thumbnailStatus>,
  ) {
    await this.uploads.open(caller, realm_id, filename);
    return { has_thumbnail: false };
  }

  @Endpoint(readFile)
  async read(
    @SignedIn() caller: Caller,
    @Parameters() { realm_id, filename }: ParametersOf<typeof readFile>,
  ) {
    return toFileAnswer(await this.uploads.open(caller, realm_id, filename));
  }

  @Endpoint(downloadFile)
  async download(
    @SignedIn() caller: Caller,
    @Parameters() { realm_id, filename }: ParametersOf<typeof downloadFile>,
  ) {
    return toFileAnswer(await this.uploads.open(caller, realm_id, filename), { isDownload: true });
  }

  @Endpoint(readTemporaryFile)
  async readTemporary(@Parameters() { token, filename }: ParametersOf<typeof readTemporaryFile>) {
    return toFileAnswer(await this.temporaryLinks.open(token, filename));
  }
}

const toFileAnswer = (file: FileContent, { isDownload } = { isDownload: false }): FileAnswer =>
  new FileAnswer({
    sizeBytes: file.sizeBytes,
    headers: fileHeaders(file, isDownload),
    open: (range) => file.read(range),
  });
