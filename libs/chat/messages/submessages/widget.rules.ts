import { parseJsonOrUndefined } from '#platform/core';
import { z } from 'zod';

/** The widgets that the content of a message makes. */
const widgetTypes = ['poll', 'todo'] as const;

type WidgetType = (typeof widgetTypes)[number];

const COMMAND = /^\/(poll|todo)(?=\s|$)/;

/** Most options or tasks in the content of a message; later ones are left out. */
const MAX_ITEMS = 200;

/**
 * The first submessage of a message that makes a widget, as JSON text; null for other messages. `/poll question` and
 * `/todo title` are followed by lines with options, or with tasks and their descriptions after a colon.
 */
export function widgetContent(content: string): string | null {
  const type = COMMAND.exec(content)?.[1];
  if (type === undefined) return null;
  const [title = '', ...lines] = content.slice(type.length + 1).split(/\r\n|\r|\n/);
  const items = lines
    .map(withoutBullet)
    .filter((item) => item !== '')
    .slice(0, MAX_ITEMS);
  const data =
    type === 'poll'
      ? { question: title.trim(), options: items }
      : { task_list_title: title.trim(), tasks: items.map(taskOf) };
  return JSON.stringify({ widget_type: type, extra_data: data });
}

function withoutBullet(line: string): string {
  const text = line.trim();
  return text.startsWith('-') || text.startsWith('*') ? text.slice(1).trim() : text;
}

function taskOf(item: string): { readonly task: string; readonly desc: string } {
  const colon = item.indexOf(': ');
  if (colon === -1) return { task: item, desc: '' };
  return { task: item.slice(0, colon).trim(), desc: item.slice(colon + 2).trim() };
}

/** The widget of a message, from the content of its first submessage; null if the submessage is not a widget. */
export function widgetTypeOf(first: string | null): WidgetType | null {
  const found = z
    .object({ widget_type: z.enum(widgetTypes) })
    .safeParse(parseJsonOrUndefined(first ?? ''));
  return found.success ? found.data.widget_type : null;
}

const anyNumber = z.union([z.string(), z.int()]);

/** The data that may be added to each widget, by type. */
const widgetData = {
  poll: {
    vote: z.object({ key: z.string(), vote: z.union([z.literal(1), z.literal(-1)]) }),
    new_option: z.object({ idx: z.int(), option: z.string() }),
    question: z.object({ question: z.string() }),
  },
  todo: {
    new_task: z.object({
      key: anyNumber,
      task: z.string(),
      desc: z.string(),
      completed: z.boolean(),
    }),
    strike: z.object({ key: z.string() }),
    new_task_list_title: z.object({ title: z.string() }),
  },
} as const satisfies Record<WidgetType, Record<string, z.ZodType>>;

/** The data that only the author of the widget may add. */
const ONLY_OF_AUTHOR: ReadonlySet<string> = new Set(['question', 'new_task_list_title']);

/** Whether data may be added to a widget, or why not. */
type DataCheck = 'accepted' | 'unknown type' | 'invalid' | 'only the author';

/** Decides on data for a widget. */
export function checkData(widget: WidgetType, data: unknown, isAuthor: boolean): DataCheck {
  const type = typeOf(data);
  const schemas: Readonly<Record<string, z.ZodType>> = widgetData[widget];
  const schema = type === null || !Object.hasOwn(schemas, type) ? undefined : schemas[type];
  if (type === null || schema === undefined) return 'unknown type';
  if (!schema.safeParse(data).success) return 'invalid';
  return ONLY_OF_AUTHOR.has(type) && !isAuthor ? 'only the author' : 'accepted';
}

/** The type of data; null if it has none. */
export function typeOf(data: unknown): string | null {
  const found = z.object({ type: z.string() }).safeParse(data);
  return found.success ? found.data.type : null;
}
