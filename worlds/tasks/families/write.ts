import { isObject, type Json, type JsonObject, type Scalar } from "../../json.ts";
import { type Attempt, attempts, linked, requiredChanges } from "../attempts.ts";
import { type Draft, distinguish, ENDING, type Named, nameBySearch, nameRow, ref } from "../draft.ts";
import { inWords, kindOf } from "../kinds.ts";
import type { Kit, RowRead } from "../kit.ts";
import { leaves, NAMING } from "../leaves.ts";
import type { Random } from "../random.ts";
import type { Script } from "../schema.ts";
import { readPath, select, selector } from "../select.ts";
import { ownersOf } from "../words/owners.ts";
import { argumentLabel, noun, sentenceFor, type Voice, want, wantAll } from "../words/phrases.ts";
import { withoutFalseState } from "../words/states.ts";
import { imperative, joinedRequests, withArguments } from "../words/user-requests.ts";

/** A write told as a wish: the words, and the script that carries it out. */
export interface WriteRequest {
  readonly attempt: Attempt;
  readonly act: string;
  readonly calls: Script["calls"];
  /** The values that the words have to say, by parameter, where each is one that is said as it stands. */
  readonly told: Readonly<Record<string, string>> | undefined;
}

const cache = new WeakMap<Kit, Map<string, ReturnType<typeof attempts>>>();

/** Each write of the surface with what was tried of it; once per kit. */
export function triedWrites(kit: Kit): Map<string, ReturnType<typeof attempts>> {
  let tried = cache.get(kit);
  if (!tried) {
    tried = new Map(
      kit.tools
        .filter((t) => t.effect === "write")
        .map((view) => [view.name, attempts(kit, view, kit.rng.fork(`write ${view.name}`))]),
    );
    cache.set(kit, tried);
  }
  return tried;
}

/** The reading of a row: by a read that takes its key where there is one, else by the first that gives it. */
export function readingOf(kit: Kit, table: string, key: string): RowRead | undefined {
  const anchor = kit.anchors.get(table)?.find((a) => a.key === key);
  if (!anchor) return undefined;
  const found = kit.bindings
    .filter((b) => b.table === table && b.gives === "row")
    .flatMap((b) => kit.read(b, anchor) ?? []);
  return found.find((r) => Object.values(r.args).length === 1 && Object.values(r.args)[0] === key) ?? found[0];
}

interface Located {
  readonly path: string;
  readonly words: string;
  /** Lower is plainer. */
  readonly rank: number;
}

/** Whether a value is a code within rows of the drawn state, which no person knows. */
function isInnerCode(kit: Kit, value: string): boolean {
  let codes = inside.get(kit);
  if (codes === undefined) {
    codes = new Set(
      [...kit.anchors.values()].flatMap((rows) =>
        rows.flatMap((row) =>
          row.leaves.flatMap((leaf) =>
            typeof leaf.value === "string" && leaf.generic.includes("[*]") && /(?:^|_)id$|@key$/.test(leaf.generic)
              ? [leaf.value]
              : [],
          ),
        ),
      ),
    );
    inside.set(kit, codes);
  }
  return codes.has(value);
}
const inside = new WeakMap<Kit, ReadonlySet<string>>();

/** Whether some row of the drawn state has this key. */
export function isKey(kit: Kit, value: string): boolean {
  return Object.values(kit.base.tables).some((rows) => Object.hasOwn(rows, value));
}

/** What sort of thing an element says it is, before what tells it from others of the sort: "gift card ". */
function sortOf(element: JsonObject, but: string): string {
  const [sort] = Object.entries(element).flatMap(([field, value]) =>
    field !== but &&
    /^(?:\w+_)?(?:source|type|kind|brand)$/.test(field) &&
    typeof value === "string" &&
    !/\d/.test(value)
      ? [inWords(value, field)]
      : [],
  );
  return sort === undefined ? "" : `${sort} `;
}

/** Where an answer holds a value, in a user's words: told by a sibling's name, the only one of its kind, or by another sibling. */
function locate(answer: Json, value: Scalar): Located | undefined {
  const found: Located[] = [];
  for (const leaf of leaves(answer)) {
    if (leaf.value !== value) continue;
    const lists = leaf.generic.split("[*]").length - 1;
    if (lists === 0) {
      found.push({ path: leaf.path, words: "", rank: 1 });
      continue;
    }
    if (lists > 1) continue;
    const prefix = leaf.generic.slice(0, leaf.generic.indexOf("[*]") + 3);
    const list = readPath(answer, prefix);
    const index = list.findIndex((e) => isObject(e) && Object.values(e).includes(value));
    const told = index >= 0 ? distinguish(list, index) : undefined;
    if (!told || told.value === value) continue;
    const path = select(leaf.generic, selector(told.field, told.value));
    const reached = readPath(answer, path);
    if (reached.length !== 1 || reached[0] !== value) continue;
    const named = /^(?:\w+_)?(?:name|title)$|^(?:source|label|brand)$/.test(told.field);
    const said = inWords(told.value, told.field);
    const type = sortOf(list[index] as JsonObject, told.field);
    const money = kindOf(told.value, told.field) === "money";
    const title = Object.entries(list[index] as JsonObject).find(([name]) => NAMING.test(name))?.[1];
    found.push({
      path,
      words: named
        ? said
        : money && typeof title === "string"
          ? `${title} for ${said}`
          : `${type}${ENDING.test(told.field) ? `ending in ${said}` : money && type !== "" ? `with ${said} on it` : `with ${argumentLabel(told.field)} ${said}`}`,
      rank: named ? 0 : ENDING.test(told.field) ? 0.5 : /type|status/.test(told.field) ? 3 : 2,
    });
  }
  return found.sort((a, b) => a.rank - b.rank)[0];
}

function opaque(value: unknown): value is string {
  return (
    typeof value === "string" &&
    /\d/.test(value) &&
    !/\s/.test(value) &&
    !value.includes("@") &&
    value.length >= 6 &&
    !/^\d{4}-\d\d-\d\d/.test(value) &&
    !/^\d{5}$/.test(value)
  );
}

/**
 * Tells a write as a wish: the row named as a person would, ids inside replaced by what the reads say of them where
 * they do. Undefined where an argument is a code that nobody writes and no read tells apart.
 */
export function writeRequestOf(kit: Kit, tried: Attempt, rng: Random, direct = false): WriteRequest | undefined {
  const { view, anchor, args, keyParam } = tried;
  const reading = readingOf(kit, anchor.table, anchor.key);
  const named: Named =
    reading && !direct
      ? nameRow(kit, reading, rng)
      : (nameBySearch(kit, anchor, keyParam) ?? {
          who: `${noun(anchor.table)} ${anchor.key}`,
          calls: [],
          args: {},
          key: anchor.key,
        });
  const calls: Script["calls"][number][] = [...named.calls];
  const final: Record<string, unknown> = { ...args, [keyParam]: named.key };
  const words: Record<string, string> = {};
  const skip = new Set([keyParam]);
  const sources: { n: number; answer: Json }[] = [];
  const open = () => {
    if (sources.length > 0 || !reading) return;
    calls.push({ tool: reading.binding.tool, args: named.calls.length > 0 ? named.args : reading.args });
    sources.push({ n: calls.length, answer: reading.answer });
    for (const near of linked(kit, anchor)) {
      const other = readingOf(kit, near.table, near.key);
      const held = reading.leaves.find((l) => l.value === near.key && !l.generic.includes("[*]"));
      const [param] = Object.keys(other?.args ?? {});
      if (
        !other ||
        !held ||
        param === undefined ||
        Object.keys(other.args).length !== 1 ||
        other.args[param] !== near.key
      )
        continue;
      calls.push({ tool: other.binding.tool, args: { [param]: ref(sources[0]?.n ?? 1, held.path) } });
      sources.push({ n: calls.length, answer: other.answer });
    }
  };
  for (const [name, value] of Object.entries(args)) {
    if (name === keyParam) continue;
    const single = Array.isArray(value) && value.length === 1 ? value[0] : value;
    if (!opaque(single)) continue;
    open();
    const places = sources.flatMap((source) => {
      const place = locate(source.answer, single);
      return place ? [{ ...place, n: source.n }] : [];
    });
    const place = places.sort((a, b) => a.rank - b.rank)[0];
    // Nobody takes in exchange what the same row holds already.
    if (name.startsWith("new_") && reading && place?.n === sources[0]?.n) return undefined;
    if (place) {
      const pointer = ref(place.n, place.path);
      final[name] = Array.isArray(value) ? [pointer] : pointer;
      if (place.words !== "") words[name] = place.words;
      else if (isKey(kit, single)) skip.add(name);
      else words[name] = `the one on that ${noun(anchor.table)}`;
    } else if (/_\d/.test(single) || (reading && !isKey(kit, single) && isInnerCode(kit, single))) return undefined;
  }
  const used = new Set(JSON.stringify(final).match(/\$\d+/g) ?? []);
  const kept: Script["calls"][number][] = [];
  const moved = new Map<string, string>();
  calls.forEach((call, i) => {
    const later = JSON.stringify(calls.slice(i + 1).map((c) => c.args));
    if (i >= named.calls.length && !used.has(`$${i + 1}`) && !new RegExp(`\\$${i + 1}\\b`).test(later)) return;
    kept.push(call);
    moved.set(`$${i + 1}`, `$${kept.length}`);
  });
  const shift = (v: unknown): unknown => {
    if (typeof v === "string") return v.replace(/^\$\d+/, (m) => moved.get(m) ?? m);
    if (Array.isArray(v)) return v.map(shift);
    return isObject(v) ? Object.fromEntries(Object.entries(v).map(([k, x]) => [k, shift(x)])) : v;
  };
  const act = withoutFalseState(kit, anchor, imperative(view, noun(anchor.table), who(named, anchor.table)));
  const plain = Object.entries(args).filter(([name]) => name === keyParam || !skip.has(name));
  const literal = named.key === anchor.key && plain.every(([, value]) => typeof value === "string");
  return {
    told: literal ? (Object.fromEntries(plain) as Record<string, string>) : undefined,
    attempt: tried,
    act: withArguments(act, args, words, skip),
    calls: [...kept, { tool: view.name, args: final }].map((c) => ({
      tool: c.tool,
      args: shift(c.args) as JsonObject,
    })),
  };
}

function who(named: Named, table: string): string {
  const plain = named.who.replace(/^the /, "");
  const head = `${noun(table)} `;
  return plain.startsWith(head) ? plain.slice(head.length) : named.who;
}

/** One change, to the row that the request names. */
export function* write(kit: Kit, voices: () => Voice, rng: Random): Generator<Draft> {
  const tried = [...triedWrites(kit)].filter(([, t]) => t.changed.length > 0);
  for (let round = 0; round < 30; round += 1) {
    for (const [tool, { changed }] of tried) {
      const chosen = changed[round];
      const wish = chosen && writeRequestOf(kit, chosen, rng);
      const changes = chosen && requiredChanges(kit, [{ tool, args: chosen.args }]);
      if (!chosen || !wish || !changes) continue;
      const voice = voices();
      const request = sentenceFor(voice, tool, wish.told, rng) ?? want(voice, wish.act, rng);
      yield {
        family: "write",
        operation: tool,
        object: chosen.anchor.table,
        condition: "present",
        difficulty: wish.calls.length > 2 ? "hard" : wish.calls.length > 1 ? "medium" : "easy",
        useCase: argumentLabel(tool),
        voice,
        request,
        script: {
          calls: wish.calls,
          answer: `Done: the ${noun(chosen.anchor.table)} has been updated as you asked.`,
          class: "answered",
        },
        checks: [
          { kind: "state", changes },
          { kind: "answer_class", class: "answered" },
        ],
      };
    }
  }
}

/** Two changes in one request, to different rows or by different tools, neither in the other's way. */
export function* multiWrite(kit: Kit, voices: () => Voice, rng: Random): Generator<Draft> {
  const pool = [...triedWrites(kit)].flatMap(([, t]) => t.changed.slice(0, 20));
  if (pool.length < 2) return;
  // One person asks: the second row is one of the same owner's where there is one.
  const owners = pool.map(({ anchor }) => ownersOf(kit, anchor.table, anchor.key, anchor.row));
  const byOwner = new Map(
    pool.map((one, i) => {
      const same = pool.filter(
        ({ anchor }, j) =>
          (anchor.key !== one.anchor.key || anchor.table !== one.anchor.table) &&
          [...(owners[i] ?? [])].some((person) => owners[j]?.has(person)),
      );
      return [one, same.length > 0 ? same : undefined] as const;
    }),
  );
  const made = new Map<Attempt, Map<Attempt, ReturnType<typeof requiredChanges>>>();
  const changesOf = (pair: readonly [Attempt, Attempt]) => {
    const [one, two] = pair;
    const known = made.get(one) ?? new Map<Attempt, ReturnType<typeof requiredChanges>>();
    made.set(one, known);
    if (!known.has(two))
      known.set(
        two,
        requiredChanges(
          kit,
          pair.map((a) => ({ tool: a.view.name, args: a.args })),
        ),
      );
    return known.get(two);
  };
  for (let round = 0; round < 200; round += 1) {
    const first = rng.pick(pool);
    const second = rng.pick(round % 4 === 3 ? pool : (byOwner.get(first) ?? pool));
    if (first === second || (first.anchor.key === second.anchor.key && first.anchor.table === second.anchor.table))
      continue;
    const changes = changesOf([first, second]);
    const reversed = changesOf([second, first]);
    if (!changes || JSON.stringify(changes) !== JSON.stringify(reversed)) continue;
    const wishes = [writeRequestOf(kit, first, rng), writeRequestOf(kit, second, rng)];
    const [one, two] = wishes;
    if (!one || !two) continue;
    const shifted = two.calls.map((call) => ({
      tool: call.tool,
      args: JSON.parse(
        JSON.stringify(call.args).replace(/"\$(\d+)(?=[.["])/g, (_m, n: string) => `"$${Number(n) + one.calls.length}`),
      ) as JsonObject,
    }));
    const voice = voices();
    const acts = joinedRequests([one.act, two.act]);
    yield {
      family: "multi_write",
      operation: second.view.name,
      object: second.anchor.table,
      condition: "present",
      difficulty: "hard",
      useCase: `${argumentLabel(first.view.name)} and ${argumentLabel(second.view.name)}`,
      voice,
      request: acts.length === 1 ? want(voice, acts[0] as string, rng) : wantAll(voice, acts, rng),
      script: {
        calls: [...one.calls, ...shifted],
        answer: "Done: both changes have been made as you asked.",
        class: "answered",
      },
      checks: [
        { kind: "state", changes },
        { kind: "answer_class", class: "answered" },
      ],
    };
  }
}
