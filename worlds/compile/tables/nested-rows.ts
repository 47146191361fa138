import { isObject, type Json, type JsonObject } from "../../json.ts";
import { member, type Term } from "../conditions/term.ts";
import { isScalar } from "../values.ts";

/** Terms that more can be added to. */
interface Terms {
  readonly terms: readonly Term[];
  readonly depth: number;
  add(cel: string, vals: readonly (Json | undefined)[], cost: number): void;
}

/** Adds nested rows that a scalar names: the first item of a list that holds it in a column. */
export function addPicked(env: Terms): void {
  const named = env.terms.filter(
    (term) =>
      /^args\.\w+(\.(first|last)\(\))?$/.test(term.cel) &&
      term.vals.every((value) => typeof value === "string" || value === null),
  );
  for (const list of env.terms.filter(
    (term) =>
      term.cost < 3.5 &&
      !/\.(map|filter)\(/.test(term.cel) &&
      term.vals.some((value) => Array.isArray(value) && value.some(isObject)),
  ))
    for (const term of named) pickFrom(env, list, term, `m${env.depth}`);
}

function pickFrom(env: Terms, list: Term, term: Term, v: string): void {
  const first = list.vals.find((value) => Array.isArray(value) && value.length > 0) as Json[] | undefined;
  if (!isObject(first?.[0])) return;
  for (const column of Object.keys(first[0])) {
    const vals = list.vals.map((value, i): Json | undefined =>
      value === undefined || term.vals[i] === undefined
        ? undefined
        : Array.isArray(value)
          ? (value.find((item) => isObject(item) && item[column] === term.vals[i]) ?? null)
          : null,
    );
    const asked = list.vals.filter((value) => Array.isArray(value)).length;
    if (vals.filter(isObject).length >= Math.max(1, asked * 0.5))
      env.add(
        `${list.cel}.filter(${v}, ${member(v, column)} == ${term.cel}).first()`,
        vals,
        list.cost + term.cost * 0.5 + 0.6,
      );
  }
}

/** For an element that is a scalar: the first item of an outer list of objects that holds it in a column. */
function matchScalars(env: Terms, variable: string, v: string): void {
  const elements = env.terms.filter(
    (term) =>
      (term.cel === variable || (term.cel.endsWith(`.indexOf(${variable}))`) && term.cost < 4)) &&
      term.vals.every((value) => value === null || typeof value === "string"),
  );
  if (!elements.some((term) => term.cel === variable)) return;
  const lists = env.terms.filter(
    (list) =>
      !list.cel.includes("(") &&
      list.vals.some(Array.isArray) &&
      list.vals.every((value) => value === undefined || (Array.isArray(value) && value.every(isObject))),
  );
  for (const list of lists) for (const element of elements) pickFrom(env, list, element, v);
}

/** Adds for an element of a list the items of outer lists of objects that it names: by itself, or by the columns that they share. */
export function addMatches(env: Terms, variable: string): void {
  const inner = env.terms.filter((term) => term.cel.startsWith(`${variable}.`) && term.vals.some(isScalar));
  const v = `m${env.depth}`;
  matchScalars(env, variable, v);
  for (const list of [...env.terms]) {
    if (!list.vals.every((value) => value === undefined || (Array.isArray(value) && value.every(isObject)))) continue;
    const columns = inner.filter(
      (term) =>
        /^[A-Za-z_]\w*$/.test(term.cel.slice(variable.length + 1)) &&
        list.vals.some(
          (value) =>
            Array.isArray(value) &&
            value.some((item) => isObject(item) && Object.hasOwn(item, term.cel.slice(variable.length + 1))),
        ),
    );
    const items = list.vals.flatMap((value) => (Array.isArray(value) ? (value as JsonObject[]) : []));
    const ids = columns.filter(
      (term) =>
        items.every((item) => isScalar(item[term.cel.slice(variable.length + 1)])) &&
        term.vals.every((value) => typeof value === "string"),
    );
    if (ids.length === 0 || ids.length > 3) continue;
    const names = ids.map((term) => term.cel.slice(variable.length + 1));
    const vals = list.vals.map((value, i): Json | undefined =>
      value === undefined
        ? undefined
        : ((value as JsonObject[]).find((item) => names.every((name, c) => item[name] === ids[c]?.vals[i])) ?? null),
    );
    if (!vals.some(isObject)) continue;
    env.add(
      `${list.cel}.filter(${v}, ${names.map((name, c) => `${v}.${name} == ${ids[c]?.cel}`).join(" && ")}).first()`,
      vals,
      list.cost + 1,
    );
  }
}
