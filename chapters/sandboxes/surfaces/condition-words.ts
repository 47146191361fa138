/** What a comparison says, and what it says turned round. */
const SAYS: Readonly<Record<string, readonly [holds: string, turned: string]>> = {
  "==": ["is", "is not"],
  "!=": ["is not", "is"],
  ">": ["is more than", "is at most"],
  ">=": ["is at least", "is less than"],
  "<": ["is less than", "is at least"],
  "<=": ["is at most", "is more than"],
};

const PATH = String.raw`[a-z_]\w*(?:\.\w+)*`;
const ROW = String.raw`lookup\("(\w+)", (${PATH})\)`;
const EXISTS = new RegExp(`^${ROW} (==|!=) null$`);
const FIELD_OF_ROW = new RegExp(`^${ROW}\\.(\\w+)$`);
const COMPARED = /^(.+?) (==|!=|>=|<=|>|<) (.+)$/;
const HAS = new RegExp(`^has\\(${PATH}\\.(\\w+)\\)$`);
/** Fields that a sentence names. */
const NAMED = 3;
/** Conditions that a sentence joins. */
const JOINED = 3;
/** Characters of a condition in words that a sentence holds. */
const MOST = 160;

/** A condition of a behaviour in words, where it is a simple one; undefined where only its code says it. */
export function conditionWords(condition: string): string | undefined {
  // That a value is known is checked by the step itself.
  const plain = unwrapped(condition.trim());
  const parts = plain.split(" && ");
  const fields = parts.map((part) => HAS.exec(part)?.[1]);
  if (fields.every((field) => field !== undefined)) return `the row has ${listOf(fields)}`;
  if (parts.length > JOINED) return undefined;
  const words = parts.map(partWords);
  const said = words.every((each) => each !== undefined) ? words.join(" and ") : undefined;
  return said !== undefined && said.length <= MOST ? said : undefined;
}

function unwrapped(text: string): string {
  const less = text.replace(/\bknown\(((?:[\w.]|lookup\("\w+", [\w.]+\))+)\)/g, "$1");
  return less === text ? text : unwrapped(less);
}

function partWords(part: string): string | undefined {
  const turned = /^!\(([^()]*(?:\([^()]*\)[^()]*)*)\)$/.exec(part)?.[1];
  const said = turned ?? part;
  const [, table, key, is] = EXISTS.exec(said) ?? [];
  if (table !== undefined && key !== undefined)
    return `${(is === "!=") === (turned === undefined) ? "a" : "no"} row of ${table} has that ${last(key)}`;
  const [, left = "", sign = "", right = ""] = COMPARED.exec(said) ?? [];
  const [a, b] = [valueWords(left), valueWords(right)];
  const [holds, otherwise] = SAYS[sign] ?? [];
  return a === undefined || b === undefined ? undefined : `${a} ${turned === undefined ? holds : otherwise} ${b}`;
}

function valueWords(value: string): string | undefined {
  if (/^"[^"]*"$/.test(value)) return `“${value.slice(1, -1)}”`;
  if (/^(?:-?\d+(?:\.\d+)?|null|true|false)$/.test(value)) return value;
  const [, table, key, field] = FIELD_OF_ROW.exec(value) ?? [];
  if (table !== undefined && key !== undefined) return `${field} of the ${table} row of ${last(key)}`;
  if (!new RegExp(`^${PATH}$`).test(value)) return undefined;
  return value.startsWith("args.")
    ? `the ${value.slice("args.".length)} given`
    : value.includes(".")
      ? `its ${last(value)}`
      : undefined;
}

function last(path: string): string {
  return path.split(".").at(-1) ?? path;
}

function listOf(names: readonly string[]): string {
  const told = names.slice(0, NAMED).join(", ");
  return names.length > NAMED ? `${told} and ${names.length - NAMED} more fields` : told;
}
