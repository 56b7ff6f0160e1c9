import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { Controller, Get, NotFoundException, Param, Res, UseFilters } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { BASE_STYLES, ServedFiles } from '#platform/pages';
import { OpsErrorFilter } from '../ops-error.filter.js';
import { PAGE_HEADERS } from './pages.js';

const PAGE = 'ops.html';
// Sources and compiled files have the same relative path to it.
const folder = fileURLToPath(new URL('../public', import.meta.url));
const charts = path.dirname(createRequire(import.meta.url).resolve('uplot/dist/uPlot.esm.js'));

/** The operator's page and its files. */
@Controller('ops')
@UseFilters(OpsErrorFilter)
export class PageController {
  readonly #files = new ServedFiles()
    .addFolder(folder)
    .addFile(BASE_STYLES)
    .addFile(path.join(charts, 'uPlot.esm.js'))
    .addFile(path.join(charts, 'uPlot.min.css'));

  @Get()
  async page(@Res() reply: FastifyReply): Promise<void> {
    const page = await this.#files.read(PAGE);
    reply.headers(PAGE_HEADERS).send(page?.content);
  }

  @Get('files/:name')
  async file(@Param('name') name: string, @Res() reply: FastifyReply): Promise<void> {
    const file = name === PAGE ? null : await this.#files.read(name);
    if (file === null) throw new NotFoundException(`There is no file ${name} here.`);
    reply.type(file.type).header('X-Content-Type-Options', 'nosniff').send(file.content);
  }
}
