/** The folders of the processes of the bench. */
export interface ProcessPlace {
  /** The folder of the project. */
  readonly root: string;
  /** The folder of the logs, which is removed after the run. */
  readonly logFolder: string;
  /** The folder of the CPU profiles; null: the programs are not profiled. */
  readonly profileFolder: string | null;
}
