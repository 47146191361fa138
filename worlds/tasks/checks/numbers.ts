/** A number said in a text: in digits or words, with the sign and unit around it. */
export interface NumberInText {
  readonly value: number;
  /** Digits written after the point; -1 for words. */
  readonly decimals: number;
  readonly start: number;
  readonly end: number;
  readonly money: boolean;
  readonly percent: boolean;
  /** What the digits come to where their points only group them: 12480 of "12.480". */
  readonly grouped?: number;
  /** An amount in brackets: below zero to a bookkeeper, an aside to everybody else. */
  readonly bracketed?: true;
}

const DIGITS = String.raw`\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d{1,3}(?:\.\d{3})+,\d{1,2}|\d{1,3}(?:['\u202f ]\d{3})+(?:[.,]\d{1,2})?|\d+,\d{1,2}|\d+(?:\.\d+)?`;
const CURRENCY = String.raw`us\$|\$|\u20ac|\u00a3|\u00a5|usd|eur|gbp`;
const NUMBER = new RegExp(
  String.raw`(?<![\p{L}\p{N}#./-]|[\p{L}\p{N}]_+|\d[,.:])(\()?(-|(?<=(?:^|[(:=,;|]|\b(?:is|was|of|by))\s?)-\s)?(?:(${CURRENCY})\s?(-)?)?(${DIGITS})(?:\s?(%|percent\b|k\b|thousand\b|million\b|${CURRENCY}|dollars?\b|euros?\b|pounds?\b|bucks\b|cents?\b))?(\))?(?!_*[\p{L}\p{N}]|[-/:]\d|[.,]\d)`,
  "gu",
);

const ONES =
  "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen".split(
    " ",
  );
const TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split(" ");
const SCALE = new Map([
  ["dozen", 12],
  ["hundred", 100],
  ["thousand", 1000],
  ["million", 1_000_000],
]);
const WORD = new Map<string, number>([
  ...ONES.map((w, i) => [w, i] as const),
  ...TENS.map((w, i) => [w, 20 + i * 10] as const),
]);
const WORDS = new RegExp(
  // "two hundred and ten" is one number, "fourteen and ten" are two.
  String.raw`\b(?:(?:${[...WORD.keys()].join("|")})(?:[ -](?:(?<=(?:hundred|thousand|million) )and )?(?:${[...WORD.keys(), ...SCALE.keys()].join("|")}))*)\b`,
  "g",
);
/** Parts that are said by themselves, not of a unit or an hour. */
const HALVES = /\b(?:(?:one|a) )?(half|quarter)\b(?! (?:past|to|of an|an?|\p{L}+ past)\b)/gu;

function digitsOf(raw: string): { value: number; decimals: number } {
  let plain = raw.replace(/['\u202f ]/g, "");
  if (/^\d{1,3}(\.\d{3})+,\d{1,2}$/.test(plain)) plain = plain.replace(/\./g, "").replace(",", ".");
  else if (/^\d{1,3}(,\d{3})+(\.\d+)?$/.test(plain)) plain = plain.replace(/,/g, "");
  else plain = plain.replace(",", ".");
  const point = plain.indexOf(".");
  return { value: Number(plain), decimals: point < 0 ? 0 : plain.length - point - 1 };
}

function wordsOf(said: string): number {
  let total = 0;
  let part = 0;
  for (const word of said.split(/[ -]/)) {
    const scale = SCALE.get(word);
    if (scale === 100) part = Math.max(part, 1) * 100;
    else if (scale) {
      total += Math.max(part, 1) * scale;
      part = 0;
    } else part += WORD.get(word) ?? 0;
  }
  return total + part;
}

/** Every number of a folded text, in order. Parts of ids, dates and times are not numbers. */
export function numbersInText(folded: string): NumberInText[] {
  const found: NumberInText[] = [];
  for (const match of folded.matchAll(NUMBER)) {
    const [all, open, minus, before, inner, digits, after, close] = match;
    if (digits === undefined) continue;
    const { value, decimals } = digitsOf(digits);
    const signed = minus !== undefined || inner !== undefined;
    const bracketed = !signed && open !== undefined && close !== undefined && before !== undefined;
    const negative = signed || bracketed;
    const cents = after?.startsWith("cent") === true;
    const scale = after === "k" ? 1000 : SCALE.get(after ?? "");
    const size = scale !== undefined ? value * scale : cents ? value / 100 : value;
    const grouped = /^\d{1,3}(?:\.\d{3})+$/.test(digits) ? Number(digits.replaceAll(".", "")) : undefined;
    found.push({
      value: negative ? -size : size,
      decimals: cents ? 2 : decimals,
      start: match.index,
      end: match.index + all.length,
      money: before !== undefined || (after !== undefined && scale === undefined && !["%", "percent"].includes(after)),
      percent: after === "%" || after === "percent",
      ...(grouped === undefined ? {} : { grouped }),
      ...(bracketed ? { bracketed } : {}),
    });
  }
  for (const match of folded.matchAll(HALVES))
    found.push({
      value: match[1] === "half" ? 0.5 : 0.25,
      decimals: -1,
      start: match.index,
      end: match.index + match[0].length,
      money: false,
      percent: false,
    });
  for (const match of folded.matchAll(WORDS)) {
    const tail = folded.slice(match.index + match[0].length);
    const cents = /^ cents?\b/.test(tail);
    found.push({
      value: wordsOf(match[0]) / (cents ? 100 : 1),
      decimals: -1,
      start: match.index,
      end: match.index + match[0].length,
      money: cents || /^ (?:dollar|euro|pound|buck)/.test(tail),
      percent: /^ percent/.test(tail),
    });
  }
  return withCents(
    folded,
    found.sort((a, b) => a.start - b.start),
  );
}

const WITH_CENTS = /^(?:(?: dollars?| euros?| pounds?)?,? and | (?:dollars?|euros?|pounds?),? )$/;

/** "152 dollars and 30 cents" is one amount: the parts leave the list for their sum. */
function withCents(folded: string, found: readonly NumberInText[]): NumberInText[] {
  const out: NumberInText[] = [];
  for (const said of found) {
    const whole = out.at(-1);
    const small = said.money && said.value < 1 && / ?cents?\b/.test(folded.slice(said.start, said.end + 6));
    if (whole?.money && small && Number.isInteger(whole.value) && WITH_CENTS.test(folded.slice(whole.end, said.start)))
      out[out.length - 1] = { ...whole, value: whole.value + said.value, decimals: 2, end: said.end };
    else out.push(said);
  }
  return out;
}

/** A measurement holds so many digits after the point, more than anybody writes: no price, place or share has them. */
const MEASURED = /\.\d{7}/;

/** Whether a number is a measurement as people say it: 112 or 111.9 of 111.92365689097284. Of written figures none is. */
function roundsMeasured(said: NumberInText, value: number): boolean {
  if (said.decimals < 0 || said.decimals > 1 || !MEASURED.test(String(value))) return false;
  const off = Math.abs(said.value - value);
  return off <= 0.5 * 10 ** -said.decimals && off <= 0.01 * Math.abs(value);
}

/** How far a value may be from the number that is said for it, as a share of it, where one digit after the point is written. */
const NEAR = 0.001;

/** Whether a said number is this value: equal to a cent, or the value rounded to the digits after the point that were written. */
export function saysNumber(said: NumberInText, value: number): boolean {
  const off = said.bracketed ? Math.abs(Math.abs(said.value) - Math.abs(value)) : Math.abs(said.value - value);
  if (off < 1e-9 + Math.abs(value) * 1e-12 || said.grouped === value) return true;
  // A share is said in percent too.
  if (said.percent && Math.abs(value) <= 1 && Math.abs(said.value / 100 - value) < 1e-9) return true;
  const rounded = off <= 0.5 * 10 ** -said.decimals + 1e-9;
  return rounded && (said.decimals >= 2 || (said.decimals === 1 && off <= NEAR * Math.abs(value)));
}

/** Whether a number is this value rounded, within a hundredth of it: a whole one after "about", or any of a measurement. */
export function roundsTo(said: NumberInText, value: number, roughly: boolean): boolean {
  if (roundsMeasured(said, value)) return true;
  if (!roughly) return false;
  const off = Math.abs(said.value - value);
  return said.decimals === 0 && off <= 0.5 && off <= 0.01 * Math.abs(value);
}
