import { isObject, type Json, type JsonObject } from "../../json.ts";
import { sayLiteral } from "../acts/literals.ts";
import { inWords, kindOf } from "../kinds.ts";
import type { Kit } from "../kit.ts";
import { type Leaf, NAMING } from "../leaves.ts";
import { readPath, selector } from "../select.ts";
import type { Anchor } from "../surface.ts";

/** How a search finds a row by what people call it. */
export interface Found {
  readonly tool: string;
  readonly args: JsonObject;
  /** Where the answer holds the row's key. */
  readonly path: string;
  /** The title in quotes, and the day where several rows share it. */
  readonly words: string;
  /** The title alone, in quotes. */
  readonly title: string;
  /** What tells it from others of its title; absent where it has that alone. */
  readonly day?: Leaf & { readonly value: string };
}

/** Rows that a search is tried on before it counts as none: a world answers some searches alone. */
const TRIES = 20;

interface Search {
  readonly tool: string;
  readonly param: string;
}

const searches = new WeakMap<Kit, Map<string, readonly Search[]>>();

const own = ({ leaves }: Anchor): readonly Leaf[] => leaves.filter(({ generic }) => !generic.includes("[*]"));

function titleOf(anchor: Anchor): Leaf | undefined {
  return own(anchor).find(({ name, value }) => typeof value === "string" && NAMING.test(name) && /\p{L}/u.test(value));
}

/** The element of an answer's list that is the row, by its place; undefined where the answer is no list of things or lacks it. */
function rowInAnswer(
  answer: Json,
  anchor: Anchor,
): { readonly list: readonly JsonObject[]; readonly at: number } | undefined {
  const list = Array.isArray(answer) ? answer.filter(isObject) : [];
  const at = list.findIndex((item) => Object.values(item).includes(anchor.key));
  return at < 0 ? undefined : { list, at };
}

/** The readings that find rows of a table by their title, each proven on a row. */
function searchesOf(kit: Kit, table: string): readonly Search[] {
  const known = searches.get(kit) ?? new Map<string, readonly Search[]>();
  searches.set(kit, known);
  let found = known.get(table);
  if (found === undefined) {
    const titled = (kit.anchors.get(table) ?? []).filter((row) => titleOf(row) !== undefined);
    const sample = kit.rng.fork(`titles ${table}`).shuffled(titled).slice(0, TRIES);
    const world = kit.fork();
    found = kit.tools.flatMap(({ name, effect, params }) =>
      effect !== "read"
        ? []
        : params.flatMap((param) => {
            const alone = param.type === "string" && params.every((other) => other === param || !other.required);
            const finds = (anchor: Anchor) => {
              const title = titleOf(anchor)?.value;
              return (
                title !== undefined &&
                rowInAnswer(world.call(name, { [param.name]: title }).value, anchor) !== undefined
              );
            };
            return alone && sample.some(finds) ? [{ tool: name, param: param.name }] : [];
          }),
    );
    known.set(table, found);
  }
  return found;
}

/** Finds a row as a person would name it, who knows its title and its day and not its code: where both belong to it alone. */
export function foundByTitle(kit: Kit, anchor: Anchor): Found | undefined {
  const title = titleOf(anchor);
  if (title === undefined || title.value === null) return undefined;
  const alike = (kit.anchors.get(anchor.table) ?? []).filter((row) => titleOf(row)?.value === title.value);
  const name = sayLiteral(title.value, title.name);
  const quoted = /^["\u201c]/.test(name) ? name : `"${name}"`;
  for (const { tool, param } of searchesOf(kit, anchor.table)) {
    const args = { [param]: title.value };
    const place = rowInAnswer(kit.fork().call(tool, args).value, anchor);
    const element = place?.list[place.at];
    if (!place || !element) continue;
    const [field] = Object.entries(element).find(([, value]) => value === anchor.key) ?? [];
    if (field === undefined) continue;
    const day = own(anchor).find(({ value, name: of }) => typeof value === "string" && kindOf(value, of) === "date");
    const isDay = ({ name: of, value }: Leaf) => of === day?.name && value === day.value;
    if (alike.length === 1 && place.list.length === 1)
      return { tool, args, path: `[0].${field}`, words: quoted, title: quoted };
    if (day === undefined || typeof day.value !== "string" || alike.filter((row) => own(row).some(isDay)).length > 1)
      continue;
    const path = `${selector(day.name, day.value)}.${field}`;
    const [reached, ...more] = readPath(place.list as Json[], path);
    if (reached !== anchor.key || more.length > 0) continue;
    const words = `${quoted} on ${inWords(day.value, day.name)}`;
    return {
      tool,
      args,
      path,
      words,
      title: quoted,
      ...(alike.length === 1 ? {} : { day: { ...day, value: day.value } }),
    };
  }
  return undefined;
}
