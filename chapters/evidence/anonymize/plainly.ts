/** Characters that show nothing: they are taken out of what could be an address, a number or a key before it is looked at. */
const BESIDE = "[\\p{Script=Latin}\\p{Script=Greek}\\p{Script=Cyrillic}\\d@._+-]";
const UNSEEN = new RegExp(`(?<=${BESIDE})[\\u00ad\\u200b-\\u200d\\u2060\\ufeff]+(?=${BESIDE})`, "gu");
const WIDE = /[\uff01-\uff5e]+/g;

/** The text in one spelling: composed letters, narrow forms, nothing unseen inside of words. */
export function plainly(text: string): string {
  return text
    .normalize("NFC")
    .replace(WIDE, (wide) => wide.normalize("NFKC"))
    .replace(UNSEEN, "");
}
