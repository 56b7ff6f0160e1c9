const GREATEST_ROW_ID = 2 ** 31 - 1;

/** Whether a row can have this number; the database refuses to compare with one beyond. */
export const isRowId = (id: number): boolean => id > 0 && id <= GREATEST_ROW_ID;

/** Whether a message can have this number. Messages have bigints, of which a JSON number holds those below 2^53. */
export const isMessageId = (id: number): boolean => id > 0 && Number.isSafeInteger(id);
