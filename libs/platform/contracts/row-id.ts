const GREATEST_ROW_ID = 2 ** 31 - 1;

/** Whether this is a valid row id; the database rejects comparisons with greater numbers. */
export const isRowId = (id: number): boolean => id > 0 && id <= GREATEST_ROW_ID;

/** Whether this is a valid message id. Message ids are bigints; JSON numbers are exact below 2^53. */
export const isMessageId = (id: number): boolean => id > 0 && Number.isSafeInteger(id);
