/** A step of the demonstration was not seen to happen. */
export class DemoMismatch extends Error {
  override readonly name = 'DemoMismatch';

  constructor(
    /** What the step promises. */
    readonly expected: string,
    /** What was seen in its place. */
    readonly seen: string,
  ) {
    super(`Expected: ${expected}\nSeen:     ${seen}`);
  }
}
