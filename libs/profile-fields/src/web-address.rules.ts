const WEB_ADDRESS = /^https?:\/\/\S+$/i;

/** Whether a text is the whole address of a page on the web. */
export const isWebAddress = (text: string): boolean => WEB_ADDRESS.test(text) && URL.canParse(text);
