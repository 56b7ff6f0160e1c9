/** The languages that an account may choose, as lower-case language tags. The clients of this API have texts in them. */
export const languageCodes: readonly string[] = (
  'ar be bg bn bqi ca cs cy da de el en en-gb eo es fa fi fr gl gu hi hu id it ja ko lt lv ml mn nl no pl pt pt-br ' +
  'pt-pt ro ru si sl sr sv ta tl tr uk vi zh-hans zh-hant zh-tw'
).split(' ');

/** The name of a language in the language itself; for a language without a known name, its name in English. */
export const languageName = (code: string): string =>
  new Intl.DisplayNames([code], { type: 'language' }).of(code) ?? code;
