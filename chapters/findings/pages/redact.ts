import { withoutSecrets } from "../../evidence/intake/secrets.ts";

/** Keys by which the rules for evidence do not go: those of clouds and models alone, and tokens that carry their own claims. */
const KEYS = [
  /\b(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}\b/g,
  /\beyJ[\w-]{8,}\.[\w-]{8,}(?:\.[\w-]*)?/g,
  /\bsk-[\w-]{16,}/g,
  /\b[Bb]earer\s+[\w.~+/=-]{16,}/g,
];
const MAIL = /(?<![\p{L}\d._%+-])[\p{L}\d._%+-]{1,64}@[\p{L}\d-]{1,63}(?:\.[\p{L}\d-]{1,63}){1,8}/gu;
/** Numbers as people write those of phones; plain rows of figures are none. */
const PHONES = [
  /(?<![\w+])\+\d[\d ().-]{7,17}\d(?!\w)/g,
  /\(\d{2,4}\)[ .-]?\d{3,4}[ .-]?\d{3,4}(?!\w)/g,
  /(?<![\w.-])\d{3}[ .-]\d{3}[ .-]\d{4}(?![\w.-])/g,
];

/** A text as it may be shared, with how many secrets, and how many addresses and numbers of people, were taken out. */
export interface Redacted {
  readonly text: string;
  readonly secrets: number;
  readonly contacts: number;
}

const NOTHING = { contacts: false };

/** The text without secrets, addresses of mail and phone numbers (these stay where `contacts`): each is replaced by its kind. */
export async function redacted(text: string, stays: { readonly contacts: boolean } = NOTHING): Promise<Redacted> {
  const clean = await withoutSecrets(text);
  let { text: left, removed: secrets } = clean;
  let contacts = 0;
  for (const pattern of KEYS)
    left = left.replace(pattern, () => {
      secrets += 1;
      return "[removed: key]";
    });
  if (stays.contacts) return { text: left, secrets, contacts };
  for (const [pattern, kind] of [[MAIL, "mail address"], ...PHONES.map((each) => [each, "phone number"])] as [
    RegExp,
    string,
  ][])
    left = left.replace(pattern, () => {
      contacts += 1;
      return `[removed: ${kind}]`;
    });
  return { text: left, secrets, contacts };
}
