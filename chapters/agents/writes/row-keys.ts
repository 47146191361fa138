import type { Behaviour, KeyPart } from "../../../worlds/behaviour/schema.ts";

/** A row by its key: what each part is called, and its value. */
export type RowKey = readonly { readonly name: string; readonly value: string }[];

/** The rows that a call's arguments name. */
export type RowsNamed = (args: Readonly<Record<string, unknown>>) => readonly RowKey[];

/** What a write does to rows that stand: makes new ones only, or changes those that its arguments name. */
export type RowKeys = "creates" | RowsNamed;

/** How a compiled behaviour's calls name the rows that they change; undefined where that does not follow from the arguments alone. */
export function keysOfBehaviour({ steps }: Behaviour): RowKeys | undefined {
  const changing = steps.flatMap((step) => (step.op === "update" || step.op === "delete" ? [step] : []));
  if (changing.length === 0) return steps.some(({ op }) => op === "insert") ? "creates" : undefined;
  const readers = changing.flatMap(({ key, each }) => readerOf(key, each) ?? []);
  return readers.length === 0 ? undefined : (args) => readers.flatMap((reader) => reader(args));
}

const ARGUMENT = /^(?:args\.([A-Za-z_]\w*)|\{([A-Za-z_]\w*)\})$/;
const ELEMENT = /^([A-Za-z_]\w*)\.([A-Za-z_]\w*)$/;

function readerOf(
  key: readonly KeyPart[],
  each: { readonly name: string; readonly in: string } | undefined,
): RowsNamed | undefined {
  const list = each === undefined ? undefined : argumentIn(each.in);
  if (each !== undefined && list === undefined) return undefined;
  const parts = key.map(({ column, expr }) => {
    const name = column.split(".").at(-1) ?? column;
    const argument = expr === undefined ? name : argumentIn(expr);
    if (argument !== undefined) return { name, argument };
    const element = ELEMENT.exec(expr ?? "");
    return element && element[1] === each?.name ? { name, field: element[2] ?? "" } : undefined;
  });
  if (parts.some((part) => part === undefined)) return undefined;
  return (args) => {
    const elements = list === undefined ? [undefined] : Array.isArray(args[list]) ? args[list] : [];
    return elements.flatMap((element: unknown) => {
      const whole = parts.flatMap((part) => {
        if (part === undefined) return [];
        const given =
          "argument" in part
            ? args[part.argument]
            : (element as Record<string, unknown> | null | undefined)?.[part.field ?? ""];
        const value = scalar(given);
        return value === undefined ? [] : [{ name: part.name, value }];
      });
      return whole.length === parts.length ? [whole] : [];
    });
  };
}

function argumentIn(expr: string): string | undefined {
  const match = ARGUMENT.exec(expr.trim());
  return match?.[1] ?? match?.[2];
}

function scalar(value: unknown): string | undefined {
  return (typeof value === "string" && value !== "") || typeof value === "number" ? String(value) : undefined;
}

/** Names that identifiers go by: `id` alone, or at the end of a longer name. */
const NAMED_ID = /^(?:(.+)[_-])?(?:id|uuid)s?$|^(.*[a-z0-9])(?:Id|ID|Uuid)s?$/;

/**
 * The rows that arguments name by what identifiers are called, wherever they stand: each is a row of its own. Where some
 * are of the thing that the tool's own name speaks of (`order_id` of `cancel_order`), they alone are what it changes.
 */
export function keysByName(tool: string): RowsNamed {
  const spoken = new Set(wordsOf(tool));
  return (args) => {
    const found = new Map<string, { name: string; own: boolean }>();
    const look = (name: string, value: unknown): void => {
      if (Array.isArray(value)) {
        for (const item of value) look(name, item);
      } else if (typeof value === "object" && value !== null) {
        for (const [inner, item] of Object.entries(value)) look(inner, item);
      } else {
        const said = NAMED_ID.test(name) ? scalar(value) : undefined;
        if (said !== undefined && !found.get(said)?.own) found.set(said, { name, own: isOf(name, spoken) });
      }
    };
    for (const [name, value] of Object.entries(args)) look(name, value);
    const own = [...found].filter(([, row]) => row.own);
    return (own.length > 0 ? own : [...found]).map(([value, { name }]) => [{ name, value }]);
  };
}

/** Whether a name is one that identifiers go by. */
export function isIdName(name: string): boolean {
  return NAMED_ID.test(name);
}

/** Whether a tool's name speaks of the thing that an identifier is of: `get_order` of `order_id`. */
export function speaksOf(tool: string, name: string): boolean {
  return isOf(name, new Set(wordsOf(tool)));
}

/** Whether two names say the same, whatever their case, separators and number. */
export function sameName(a: string, b: string): boolean {
  return wordsOf(a).join(" ") === wordsOf(b).join(" ");
}

function isOf(name: string, spoken: ReadonlySet<string>): boolean {
  const named = NAMED_ID.exec(name);
  const last = wordsOf(named?.[1] ?? named?.[2] ?? "").at(-1);
  return last !== undefined && spoken.has(last);
}

/** The words of a name, lower case, in the singular as far as an `s` tells. */
function wordsOf(name: string): string[] {
  return name
    .replace(/([a-z0-9])([A-Z])/g, "$1 $2")
    .split(/[^A-Za-z0-9]+/)
    .filter((word) => word !== "")
    .map((word) => word.toLowerCase().replace(/(?<=..)s$/, ""));
}
