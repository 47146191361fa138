/** The words of a text in lower case, plural endings off, `_` as a blank. */
export function stems(text: string): string[] {
  const words = text.toLowerCase().match(/[a-z0-9]+/g) ?? [];
  return words.map((word) =>
    word.length > 3 && word.endsWith("s") && !word.endsWith("ss") && word !== "status" ? word.slice(0, -1) : word,
  );
}

const MEANT: Readonly<Record<string, string>> = {
  cost: "total",
  price: "price",
  state: "status",
  tracking: "tracking number",
  arrive: "due on",
  arrival: "due on",
  due: "due on",
  zip: "postcode",
  mail: "email",
  telephone: "phone",
  left: "stock",
  balance: "store credit",
  deadline: "returns until",
  when: "on",
  date: "on",
};

/** How well a phrase names a field, 0 to 1: the share of words that both have, everyday words taken as the desk's. */
export function likeness(phrase: string, field: string): number {
  const own = stems(field.replaceAll(/[_.]/g, " "));
  const said = new Set<string>();
  for (const word of stems(phrase)) for (const meant of [word, ...stems(MEANT[word] ?? "")]) said.add(meant);
  const hits = own.filter((word) => said.has(word)).length;
  const size = new Set(stems(phrase)).size;
  return hits === 0 ? 0 : (2 * hits) / (own.length + Math.max(size, hits));
}

/** A field's name as it is said. */
export function fieldLabel(field: string): string {
  return field.replaceAll(/[_.]/g, " ");
}

const MONEY = /(?:price|amount|total|credit)$/;

/** A value as it is said: money with its sign, code words with blanks, nothing as "none". */
export function say(value: unknown, field: string): string {
  if (value === null || value === undefined) return "none";
  if (typeof value === "number" && MONEY.test(field)) return `$${value.toFixed(2)}`;
  if (typeof value === "boolean") return value ? "yes" : "no";
  const text = String(value);
  return /^[a-z]+(?:_[a-z]+)+$/.test(text) ? text.replaceAll("_", " ") : text;
}
