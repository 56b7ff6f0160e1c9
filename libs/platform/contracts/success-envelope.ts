/**
 * The text of a whole successful response: the members of a JSON object in the envelope, with the ignored parameters if
 * any. Every response is created by this function or the next one.
 */
export function successEnvelope(object: string, ignored: readonly string[] = []): string {
  const head = headOf(ignored);
  return object === '{}' ? `${head}}\n` : `${head},${object.slice(1)}\n`;
}

/** The same for the bytes of an object with at least one member; both in parts, of which none is copied. */
export function successEnvelopeOf(
  [start = Buffer.alloc(0), ...rest]: readonly Buffer[],
  ignored: readonly string[] = [],
): Buffer[] {
  return [Buffer.from(`${headOf(ignored)},`), start.subarray(1), ...rest, LINE_END];
}

const LINE_END = Buffer.from('\n');

const headOf = (ignored: readonly string[]): string =>
  ignored.length === 0
    ? '{"result":"success","msg":""'
    : `{"result":"success","msg":"","ignored_parameters_unsupported":${JSON.stringify(ignored)}`;
