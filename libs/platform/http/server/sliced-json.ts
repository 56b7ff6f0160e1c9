import { TimeSlice } from '#platform/core';

/** JSON that is longer, in characters, is made in slices. It is made in a few milliseconds. */
const LARGE_CHARACTERS = 65_536;

/** So many characters are made at once. As UTF-16 they are small enough for the young generation of V8. */
const PART_CHARACTERS = 16_384;

/** The size of the parts of a large body. malloc takes such blocks from the system, and returns them (`MALLOC_MMAP_THRESHOLD_`). */
const BLOCK_BYTES = 131_072;

/** The most bytes of UTF-8 for a unit of UTF-16. */
const MOST_BYTES_OF_CHARACTER = 3;

/** Bytes in memory that several bodies may have together. They are the same if the objects are. */
export interface SharedBytes {
  readonly length: number;
}

/**
 * The JSON of an object, or the body of a response with it: bytes in parts, because joined ones would be a copy of many
 * megabytes, made at once.
 */
export class JsonBytes {
  readonly length: number;

  constructor(
    readonly parts: readonly Buffer[],
    /** Those of the bytes that other responses have too. */
    readonly shared: readonly SharedBytes[] = [],
  ) {
    this.length = parts.reduce((sum, { length }) => sum + length, 0);
  }
}

/** Whether the JSON of a value is so long that making it at once would delay other requests. Looks at a part of it. */
export const isLargeJson = (value: unknown): boolean => leftAfter(value, LARGE_CHARACTERS) < 0;

/** The JSON of an object like that of `JSON.stringify`, made from parts of about some characters, in time slices. */
export async function jsonInSlices(
  value: object,
  partCharacters = PART_CHARACTERS,
): Promise<JsonBytes> {
  const writer = new JsonWriter(partCharacters);
  await writer.write(value);
  return new JsonBytes(writer.end());
}

/** What is left of a number of characters after the JSON of a value; any negative number if it is longer. */
function leftAfter(value: unknown, characters: number): number {
  if (typeof value === 'string') return characters - value.length - 3;
  if (!isContainer(value)) return characters - 8;
  let left = characters - 2;
  for (const [key, member] of membersOf(value)) {
    left = leftAfter(member, left - key.length - 3);
    if (left < 0) break;
  }
  return left;
}

type Container = readonly unknown[] | Readonly<Record<string, unknown>>;

const isContainer = (value: unknown): value is Container =>
  typeof value === 'object' && value !== null && !('toJSON' in value);

function* membersOf(container: Container): Generator<readonly [key: string, member: unknown]> {
  if (Array.isArray(container)) {
    for (const item of container) yield ['', item];
  } else {
    for (const key of Object.keys(container)) {
      yield [key, (container as Readonly<Record<string, unknown>>)[key]];
    }
  }
}

class JsonWriter {
  readonly #slice = new TimeSlice();
  readonly #parts: Buffer[] = [];
  #block: Buffer | undefined;
  /** The written bytes of the block. */
  #length = 0;
  #text = '';

  constructor(private readonly partCharacters: number) {}

  async write(value: unknown): Promise<void> {
    if (isContainer(value) && this.#isLarge(value)) await this.#writeMembers(value);
    else this.#add(JSON.stringify(value) ?? 'null');
  }

  /** The parts, of which none is empty. */
  end(): readonly Buffer[] {
    if (this.#parts.length === 0 && this.#block === undefined) return [Buffer.from(this.#text)];
    this.#flush();
    this.#endBlock();
    return this.#parts;
  }

  /** Consecutive small members are written at once. */
  async #writeMembers(container: Container): Promise<void> {
    const isList = Array.isArray(container);
    let members: (readonly [string, unknown])[] = [];
    let left = this.partCharacters;
    let isFirst = true;
    const separate = () => {
      if (!isFirst) this.#add(',');
      isFirst = false;
    };
    const addSmall = async () => {
      const small = isList ? members.map(([, item]) => item) : Object.fromEntries(members);
      const json = JSON.stringify(small).slice(1, -1);
      members = [];
      left = this.partCharacters;
      if (json === '') return;
      separate();
      this.#add(json);
      await this.#slice.next();
    };
    this.#add(isList ? '[' : '{');
    for (const member of membersOf(container)) {
      const [key, value] = member;
      const leftWith = leftAfter(value, left - key.length - 3);
      if (leftWith < 0 && members.length > 0) await addSmall();
      if (leftWith < 0 && isContainer(value) && this.#isLarge(value)) {
        separate();
        if (!isList) this.#add(`${JSON.stringify(key)}:`);
        await this.#writeMembers(value);
      } else {
        members.push(member);
        left = leftWith < 0 ? leftAfter(value, this.partCharacters) : leftWith;
      }
    }
    await addSmall();
    this.#add(isList ? ']' : '}');
  }

  #isLarge(value: Container): boolean {
    return leftAfter(value, this.partCharacters) < 0;
  }

  #add(text: string): void {
    this.#text += text;
    if (this.#text.length > this.partCharacters) this.#flush();
  }

  #flush(): void {
    const text = this.#text;
    this.#text = '';
    const bytes = text.length * MOST_BYTES_OF_CHARACTER;
    if (this.#length + bytes > BLOCK_BYTES) this.#endBlock();
    if (bytes > BLOCK_BYTES) {
      this.#parts.push(Buffer.from(text));
      return;
    }
    this.#block ??= Buffer.allocUnsafeSlow(BLOCK_BYTES);
    this.#length += this.#block.write(text, this.#length);
  }

  #endBlock(): void {
    if (this.#block !== undefined && this.#length > 0)
      this.#parts.push(this.#block.subarray(0, this.#length));
    this.#block = undefined;
    this.#length = 0;
  }
}
