import type { Call } from "../compile/observations.ts";
import { idLike } from "../compile/tables/entities.ts";
import { isScalar } from "../compile/values.ts";
import type { Scalar } from "../json.ts";
import { lastName } from "./leaves.ts";
import { keyValues, type ObjectType } from "./objects.ts";

/** A column whose values name rows of an object. */
export interface Target {
  readonly object: string;
  readonly column: string;
  readonly ids: ReadonlySet<string>;
}

/** That values at a place are keys of an object. */
export interface Reference {
  readonly target: Target;
  /** Share of the different values that are such keys, 0..1. */
  readonly share: number;
  /** The calls that showed one. */
  readonly calls: readonly Call[];
}

/** The columns that rows are named by: keys, and codes that no two rows share. */
export function targetsOf(types: ReadonlyMap<string, ObjectType>): Target[] {
  return [...types.values()].flatMap((type) => {
    const sole = type.key.length === 1 ? type.key[0] : undefined;
    const columns = new Set(type.shown.flatMap(({ row }) => Object.keys(row)));
    return [...columns].flatMap((column): Target[] => {
      const ids = keyValues(type, column);
      const names =
        column === sole
          ? idLike(column, [...ids]) >= 2 || column === "key"
          : (type.key.includes(column) && idLike(column, [...ids]) >= 3) || isCode(type, column, ids);
      return names && ids.size > 0 ? [{ object: type.name, column, ids }] : [];
    });
  });
}

const CODE = /^(?=.*[A-Z])[A-Z0-9][A-Z0-9_-]{1,15}$/;
/** Fewer rows than this do not show that a code tells rows apart. */
const ENOUGH_ROWS = 3;

function isCode(type: ObjectType, column: string, ids: ReadonlySet<string>): boolean {
  const rows = new Map(type.shown.map(({ key, row }) => [key, row[column]]));
  return ids.size >= ENOUGH_ROWS && ids.size === rows.size && [...ids].every((id) => CODE.test(id));
}

/** The share of values that must be keys where names say nothing, and where they agree. */
const SHARE = 0.3;
const SHARE_NAMED = 0.02;

/** The object that values at a place refer to: most of them are its keys, or some are and the names agree. */
export function referenceOf(
  path: string,
  values: readonly { readonly value: Scalar; readonly from: Call }[],
  targets: readonly Target[],
): Reference | undefined {
  const texts = new Set(values.flatMap(({ value }) => (isScalar(value) && value !== "" ? [String(value)] : [])));
  if (texts.size === 0) return undefined;
  const small = [...texts].every((text) => /^-?\d{1,3}(\.\d+)?$|^(true|false)$/.test(text));
  const fits = targets.flatMap((target) => {
    const hits = [...texts].filter((text) => target.ids.has(text)).length;
    const share = hits / texts.size;
    const named = agrees(path, target);
    const enough = named ? hits >= 1 && share >= SHARE_NAMED : !small && hits >= 2 && share >= SHARE;
    return enough ? [{ target, share, score: share + (named ? 1 : 0) }] : [];
  });
  const [best] = fits.sort((a, b) => b.score - a.score || (a.target.object < b.target.object ? -1 : 1));
  if (!best) return undefined;
  const calls = values.flatMap(({ value, from }) => (best.target.ids.has(String(value)) ? [from] : []));
  return { target: best.target, share: best.share, calls };
}

/** Whether a place is called as the key is, or by the object's noun. */
function agrees(path: string, { object, column }: Target): boolean {
  const name = wordsOf(lastName(path));
  const key = wordsOf(column);
  const generic = /^(id|key|name|number|code)$/.test(column.toLowerCase());
  if (!generic && name.join("_") === key.join("_")) return true;
  const noun = wordsOf(object);
  return noun.every((word) => name.includes(word)) && (generic || name.some((word) => ID_WORD.test(word)));
}

const ID_WORD = /^(id|key|number|no|code|ref|reference|sku)$/;

function wordsOf(name: string): string[] {
  return name
    .replace(/([a-z0-9])([A-Z])/g, "$1_$2")
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter(Boolean)
    .map((word) =>
      word
        .replace(/ies$/, "y")
        .replace(/(ch|sh|x|ss)es$/, "$1")
        .replace(/([^s])s$/, "$1"),
    );
}
