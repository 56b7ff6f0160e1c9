/** The finished JSON text of an object, passed on as it is: what was encoded once is not encoded again. */
export class JsonText {
  constructor(readonly text: string) {}
}
