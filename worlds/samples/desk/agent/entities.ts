/** What a text names: ids by kind, a person, an amount, each in the order said. */
export interface Entities {
  readonly orders: readonly string[];
  readonly customers: readonly string[];
  readonly products: readonly string[];
  readonly shipments: readonly string[];
  readonly refunds: readonly string[];
  readonly email?: string;
  readonly name?: string;
  readonly postcode?: string;
}

const NOT_NAMES = /^(?:Hi|Hello|Hey|Please|Good|Could|Can|What|Which|Order|My|The|Thank|Also|And|Street|Need|Is)\b/;

function all(text: string, pattern: RegExp): string[] {
  return [...new Set([...text.matchAll(pattern)].map(([found]) => found.toUpperCase()))];
}

/** Reads the entities out of a text. */
export function entitiesOf(text: string): Entities {
  const email = /[\w.+-]+@[\w-]+(?:\.[\w-]+)+/.exec(text)?.[0];
  const postcode = /(?<![\w-])\d{5}(?![\w-])/.exec(text)?.[0];
  const names = [...text.matchAll(/(?<![\p{L}'])[A-Z][\p{L}-]+ [A-Z][\p{L}'-]+/gu)].map(([found]) => found);
  const name = names.find((each) => !NOT_NAMES.test(each));
  return {
    orders: all(text, /\bSO-\d+\b/gi),
    customers: all(text, /\bC-\d+\b/gi),
    products: all(text, /\bP-\d+\b/gi),
    shipments: all(text, /\bSH-\d+\b/gi),
    refunds: all(text, /\bRF-\d+\b/gi),
    ...(email ? { email } : {}),
    ...(name ? { name } : {}),
    ...(postcode ? { postcode } : {}),
  };
}

/** The amount of money a text names, in units. */
export function amountIn(text: string): number | undefined {
  const found =
    /\$\s*(\d+(?:,\d{3})*(?:\.\d+)?)/.exec(text) ??
    /\bamount (?:of )?(\d+(?:\.\d+)?)/i.exec(text) ??
    /(\d+(?:\.\d+)?) (?:dollars|USD)/i.exec(text);
  return found?.[1] === undefined ? undefined : Number(found[1].replaceAll(",", ""));
}

const NUMBERS = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"];

/** How many units a text names. */
export function quantityIn(text: string): number | undefined {
  const found =
    /\bquantity (?:of )?(\d+)/i.exec(text) ??
    /\b(\d+)\s*(?:×|x\b|units?\b|pieces?\b|of\b)/i.exec(text) ??
    /\border (\d+)\b/i.exec(text);
  if (found?.[1] !== undefined) return Number(found[1]);
  const word = /\b(one|two|three|four|five|six|seven|eight|nine|ten) (?:of|units?|pieces?)\b/i.exec(text)?.[1];
  return word === undefined ? undefined : NUMBERS.indexOf(word.toLowerCase());
}
