/** Where processes of the bench run. */
export interface ProcessPlace {
  /** The folder of the project. */
  readonly root: string;
  /** Takes what they print; thrown away at the end. */
  readonly logFolder: string;
  /** Takes CPU profiles of our programs when they are wanted. */
  readonly profileFolder: string | null;
}
