import { plainly } from "../../evidence/anonymize/plainly.ts";
import { fitsCheckDigit } from "../../evidence/anonymize/pseudonyms.ts";
import { withoutSecrets } from "../../evidence/intake/secrets.ts";

/** Where a key begins: not inside a word, and after an underscore. */
const BEGIN = "(?<![A-Za-z0-9])";
/** What is known of keys that the rules for evidence do not take out: by how they begin, what they are named, and what they look like. */
const KEYS = [
  /-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)/g,
  new RegExp(`${BEGIN}(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}(?![A-Z0-9])`, "g"),
  new RegExp(`${BEGIN}eyJ[\\w-]{8,}\\.[\\w-]{8,}(?:\\.[\\w-]*)?`, "g"),
  new RegExp(`${BEGIN}sk-[\\w-]{16,}`, "gi"),
  new RegExp(
    `${BEGIN}(?:gh[pousr]_|github_pat_|gl(?:pat|dt|rt)-|xox[a-z]-|xapp-|whsec_|pypi-|do[opr]_v1_|xai-|pplx-|gsk_|r8_|hf_|npm_|ya29\\.|GOCSPX-|AIza|AGE-SECRET-KEY-|key-(?=[0-9a-f]{32})|SK(?=[0-9a-f]{32}))[\\w-]{20,}`,
    "g",
  ),
  new RegExp(`${BEGIN}\\d{8,10}:AA[\\w-]{30,}`, "g"),
  new RegExp(`${BEGIN}[\\w-]{23,28}\\.[\\w-]{6}\\.[\\w-]{25,}`, "g"),
  // What a header or a field of this name holds.
  /(?<=\b(?:proxy-)?authorization["']?\s{0,3}[:=]\s{0,3}["']?)(?:[a-z]{1,20}\s{1,3})?(?=[\w.~+/=-]{0,200}\d)[\w.~+/=-]{8,}/gi,
  /(?<=\b(?:set-)?cookie:\s{0,3})\S[^\n]*/gi,
  /(?<=(?:password|passwd|passphrase|\bpwd|secret|token|api[_-]?key|access[_-]?key|account[_-]?key|private[_-]?key|\bsig)["'`]?\s{0,3}[:=]\s{0,3}["'`]?)(?=[^\s"'`]{0,200}[\d+/%])(?![\d.,]{1,200}(?:\s|$))[^\s"'`,;]{8,}/gi,
  /\bbearer\s{1,3}[\w.~+/=-]{16,}/gi,
  /\bbasic\s{1,3}(?=[A-Za-z0-9+/]{0,200}[\d=])[A-Za-z0-9+/]{10,}={0,2}/gi,
  // Letters of both cases and figures, as no word and no id of ours mixes them.
  /(?<![A-Za-z0-9])(?=[A-Za-z0-9]*[a-z])(?=[A-Za-z0-9]*[A-Z])(?=(?:[A-Za-z]*\d){3})[A-Za-z0-9]{24,}/g,
];

const AT = "(?:@|%40|&#0*64;|&#x40;|&commat;|\\s?[[({]\\s?at\\s?[\\])}]\\s?)";
const DOT = "(?:\\.|\\s?[[({]\\s?dot\\s?[\\])}]\\s?)";
const LABEL = "[\\p{L}\\d-]{1,63}";
/** What stands between the digits of a number as people write it. */
const GAP = "[ \\u00a0\\u2009\\u202f.\\-\\u2010-\\u2015/]";
/** Neither more of a number, nor of a word. */
const END = "(?![\\p{L}\\d_])(?![.\\-/]\\d)";

interface Form {
  readonly kind: string;
  readonly pattern: RegExp;
  /** Whether what looks like it is one. */
  readonly holds?: (found: string) => boolean;
}

const form = (kind: string, pattern: string, holds?: Form["holds"]): Form => ({
  kind,
  pattern: new RegExp(pattern, "giu"),
  ...(holds ? { holds } : {}),
});

/** Addresses and numbers that lead to a person, as people write them; plain rows of figures are none. */
const CONTACTS: readonly Form[] = [
  form(
    "mail address",
    `(?<![\\p{L}\\d._%+'-])[\\p{L}\\d._%+'\\\\-]{1,64}${AT}(?:(?:${LABEL}${DOT}){1,8}(?=\\p{L})${LABEL}|\\[[\\d.:a-f]{3,45}\\])`,
  ),
  form(
    "mail address",
    "(?<![\\p{L}\\d])[\\p{L}\\d._+-]{1,64}\\sat\\s[\\p{L}\\d-]{2,63}(?:\\sdot\\s[\\p{L}]{2,24}){1,3}(?![\\p{L}\\d])",
  ),
  form("card number", `(?<![\\w.-])[3-6]\\d{3}(?:[ -]?\\d){8,12}${END}`, (found) => fitsCheckDigit(digitsOf(found))),
  form(
    "account number",
    "(?<![\\p{L}\\d])[A-Z]{2}\\d{2}(?: ?[A-Z\\d]{4}){3,7}(?: ?[A-Z\\d]{1,3})?(?![\\p{L}\\d])",
    isIban,
  ),
  form("social security number", `(?<![\\w.-])\\d{3}-\\d{2}-\\d{4}${END}`),
  form("network address", "(?<![\\w.])(?:\\d{1,3}\\.){3}\\d{1,3}(?![\\w]|\\.\\d)", isPublicAddress),
  form("phone number", `(?<![\\w+])\\+\\d(?:${GAP}{0,2}[()]?${GAP}?\\d){7,14}${END}`),
  form("phone number", `(?<![\\w.,-])00[1-9]\\d{0,2}${GAP}(?:\\(0\\))?\\d{1,4}(?:${GAP}?\\d{2,4}){1,4}${END}`),
  form(
    "phone number",
    `(?<![\\w.,-])(?:\\+?1${GAP}{1,2})?(?:\\(\\d{3}\\)${GAP}{0,2}|\\d{3}${GAP}{1,2})\\d{3}${GAP}{1,2}\\d{4}${END}`,
  ),
  form("phone number", `\\((?!(?:19|20)\\d\\d\\))\\d{2,4}\\)${GAP}?\\d{3,5}${GAP}?\\d{3,4}${END}`),
  form("phone number", `(?<![\\w.,:-])0\\d{1,4}(?:${GAP}\\d{2,8}){1,5}${END}`, isNational),
  form(
    "phone number",
    "(?<=\\b(?:phone|tel|telephone|mobile|cell|fax|whatsapp|sms|call|ring|text)(?: (?:number|no|me|us|them|him|her|at|on|is|was)){0,3}[ .:#]{1,3})\\d{7,15}(?![\\w]|\\.\\d)",
  ),
];

/** A text as it may be shared, with how many secrets, and how many addresses and numbers of people, were taken out. */
export interface Redacted {
  readonly text: string;
  readonly secrets: number;
  readonly contacts: number;
}

const NOTHING = { contacts: false };

/** The text without secrets, and without addresses and numbers of people (these stay where `contacts`): each is replaced by its kind. */
export async function redacted(text: string, stays: { readonly contacts: boolean } = NOTHING): Promise<Redacted> {
  const clean = await withoutSecrets(plainly(text));
  let { text: left, removed: secrets } = clean;
  let contacts = 0;
  for (const pattern of KEYS)
    left = left.replace(pattern, (found) => {
      if (found.startsWith("[removed:")) return found;
      secrets += 1;
      return "[removed: key]";
    });
  if (stays.contacts) return { text: left, secrets, contacts };
  for (const { kind, pattern, holds } of CONTACTS)
    left = left.replace(pattern, (found) => {
      if (holds?.(found) === false) return found;
      contacts += 1;
      return `[removed: ${kind}]`;
    });
  return { text: left, secrets, contacts };
}

function digitsOf(text: string): string {
  return text.replace(/\D/g, "");
}

/** A number with its country's trunk 0: of nine to twelve digits, and no day. */
function isNational(found: string): boolean {
  const { length } = digitsOf(found);
  return length >= 9 && length <= 12 && !/^\d{2}[./-]\d{2}[./-](?:19|20)\d{2}/.test(found);
}

/** Whether the check digits of an IBAN fit (ISO 13616). */
function isIban(found: string): boolean {
  const plain = found.replaceAll(" ", "").toUpperCase();
  if (plain.length < 15 || plain.length > 34) return false;
  const figures = (plain.slice(4) + plain.slice(0, 4)).replace(/[A-Z]/g, (letter) => String(letter.charCodeAt(0) - 55));
  return [...figures].reduce((rest, digit) => (rest * 10 + Number(digit)) % 97, 0) === 1;
}

function isPublicAddress(found: string): boolean {
  const parts = found.split(".").map(Number);
  const [a = 0, b = 0] = parts;
  const own = a === 0 || a === 10 || a === 127 || (a === 192 && b === 168) || (a === 172 && b >= 16 && b < 32);
  return parts.every((part) => part < 256) && !own && !(a === 169 && b === 254);
}
