/** The unit of the limits and settings of sizes. */
export const MEBIBYTE = 1_048_576;
