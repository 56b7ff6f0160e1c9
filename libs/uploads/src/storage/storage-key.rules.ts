/** Neither a way to another folder nor half a character, which no file system can hold. */
const NAME = /^[^/\\\0\p{Surrogate}]+$/u;
/** In bytes; what the usual file systems and S3 take at the most. */
const LONGEST_NAME = 255;
const LONGEST_KEY = 1024;

/** Whether a key is one that a file may be kept under: it can lead nowhere but below the storage. */
export const isStorageKey = (key: string): boolean =>
  Buffer.byteLength(key) <= LONGEST_KEY && key.split('/').every(isName);

const isName = (name: string): boolean =>
  NAME.test(name) && name !== '.' && name !== '..' && Buffer.byteLength(name) <= LONGEST_NAME;
