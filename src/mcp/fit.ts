/** Where an answer was cut: how many rows of its longest list are shown, and whether values were shortened. */
export interface Cut {
  /** The longest list, its path by dots; absent where an answer holds none. */
  readonly list?: { readonly path: string; readonly shown: number; readonly of: number };
  readonly shortened: boolean;
}

/** A value that has at most so many characters as JSON; `cut` is absent where nothing was left out. */
export interface Fitted {
  readonly value: unknown;
  readonly cut?: Cut;
}

/** How far texts (characters) and inner lists (items) are shortened, the least first. */
const LEVELS = [
  { text: 2000, items: 50 },
  { text: 600, items: 16 },
  { text: 240, items: 6 },
  { text: 120, items: 3 },
  { text: 60, items: 1 },
] as const;
type Level = (typeof LEVELS)[number];
/** An object of more members than this is a table by name, and is cut like a list. */
const MEMBERS = 30;
/** How many rows are rather shown shortened than fewer of them whole. */
const ROWS = 8;
/** How deep the longest list is looked for. */
const DEPTH = 4;

/**
 * A value as JSON of at most `most` characters: first its longest list ends earlier, then texts and inner lists are
 * shortened until some rows fit. Each place that was cut says what is left out.
 */
export function fitInto(value: unknown, most: number): Fitted {
  if (lengthOf(value) <= most) return { value };
  const path = longestList(value);
  const rows = path === undefined ? undefined : (at(value, path) as readonly unknown[]);
  for (const level of LEVELS) {
    const state = { shortened: false };
    const rest = shorten(path === undefined ? value : replaced(value, path, []), level, state);
    let left = most - lengthOf(rest);
    if (left < 0) continue;
    if (path === undefined || rows === undefined || !Array.isArray(at(rest, path)))
      return { value: rest, cut: { shortened: true } };
    const shown: unknown[] = [];
    for (const row of rows) {
      const short = shorten(row, level, state);
      left -= lengthOf(short) + 1;
      if (left < 0) break;
      shown.push(short);
    }
    const last = level === LEVELS.at(-1);
    if (shown.length < Math.min(ROWS, rows.length) && !(last && shown.length > 0)) continue;
    const list = { path: path.join("."), shown: shown.length, of: rows.length };
    return { value: replaced(rest, path, shown), cut: { list, shortened: state.shortened } };
  }
  const last = LEVELS[LEVELS.length - 1] as Level;
  for (let depth = DEEPEST; depth > 0; depth--) {
    const outline = shorten(outlined(value, depth), last, { shortened: false });
    if (lengthOf(outline) <= most) return { value: outline, cut: { shortened: true } };
  }
  return { value: members(value, most), cut: { shortened: true } };
}

/** How deep an outline goes at most. */
const DEEPEST = 6;

/** A value with what lies deeper told by its length alone. */
function outlined(value: unknown, depth: number): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (depth === 0) return lengthOf(value) <= OUTLINE ? value : `… (+${lengthOf(value)} characters)`;
  if (Array.isArray(value)) return value.map((item) => outlined(item, depth - 1));
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, outlined(part, depth - 1)]));
}

/** What is no longer than the words that would stand for it is told whole. */
const OUTLINE = 40;

/** The path of the list whose rows take the most characters, through objects alone; undefined where there is none. */
export function longestList(value: unknown): string[] | undefined {
  let best: { path: string[]; length: number } | undefined;
  const walk = (part: unknown, path: string[]): void => {
    if (Array.isArray(part)) {
      const length = lengthOf(part);
      if (part.length > 1 && (best === undefined || length > best.length)) best = { path, length };
    } else if (isRecord(part) && path.length < DEPTH) {
      for (const [name, inner] of Object.entries(part)) walk(inner, [...path, name]);
    }
  };
  walk(value, []);
  return best?.path;
}

/** The part of a value at a path. */
export function at(value: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>((part, name) => (part as Record<string, unknown> | undefined)?.[name], value);
}

/** A value with another part at a path. */
export function replaced(value: unknown, [name, ...rest]: readonly string[], part: unknown): unknown {
  if (name === undefined) return part;
  const record = value as Record<string, unknown>;
  return { ...record, [name]: replaced(record[name], rest, part) };
}

/** How many characters a value has as JSON. */
export function lengthOf(value: unknown): number {
  return JSON.stringify(value)?.length ?? 0;
}

function shorten(value: unknown, level: Level, state: { shortened: boolean }): unknown {
  if (typeof value === "string") {
    if (value.length <= level.text) return value;
    state.shortened = true;
    return `${value.slice(0, level.text)}… (+${value.length - level.text} characters)`;
  }
  if (Array.isArray(value)) {
    const items = value.slice(0, level.items).map((item) => shorten(item, level, state));
    if (value.length <= level.items) return items;
    state.shortened = true;
    return [...items, `… (+${value.length - level.items})`];
  }
  if (!isRecord(value)) return value;
  const entries = Object.entries(value);
  const most = Math.max(level.items, entries.length > MEMBERS ? 0 : MEMBERS);
  const kept = entries.slice(0, most).map(([name, part]) => [name, shorten(part, level, state)] as const);
  if (entries.length <= most) return Object.fromEntries(kept);
  state.shortened = true;
  return { ...Object.fromEntries(kept), "…": `+${entries.length - most}` };
}

/** The members of an object that still fit, the others as how long they are. */
function members(value: unknown, most: number): unknown {
  if (!isRecord(value)) return `… (+${lengthOf(value)} characters)`;
  let left = most;
  const kept: [string, unknown][] = [];
  for (const [name, part] of Object.entries(value)) {
    const short = shorten(part, LEVELS[LEVELS.length - 1] as Level, { shortened: false });
    const told = lengthOf(short) > left / 2 ? `… (+${lengthOf(part)} characters)` : short;
    left -= lengthOf(told) + name.length + 4;
    if (left < 0) return { ...Object.fromEntries(kept), "…": `+${Object.keys(value).length - kept.length}` };
    kept.push([name, told]);
  }
  return Object.fromEntries(kept);
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
