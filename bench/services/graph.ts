import { Random } from "./random.ts";
import {
  type Args,
  call,
  type Data,
  type InventedService,
  num,
  type Plan,
  Refusal,
  rowsOf,
  str,
  tool,
} from "./service.ts";

const NAMES = [
  "Alma Reyes",
  "Bjorn Falk",
  "Observatory",
  "Kepler Group",
  "Mirror Project",
  "Tromso",
  "Quito",
  "Dome B",
];
const TYPES = ["person", "place", "team", "project"];
const LINKS = ["works_at", "knows", "located_in", "part_of"];
const FACTS = [
  "Opened in 1998",
  "Speaks Norwegian",
  "Needs repair",
  "Open on Sundays",
  "Was paid in May",
  "Likes chess",
];

interface Entity {
  name: string;
  type: string;
  facts: string[];
  updated: string;
}

interface Relation {
  from: string;
  to: string;
  link: string;
}

/** The notes that every session starts with. */
function firstNotes(): { entities: Entity[]; relations: Relation[] } {
  const random = new Random("graph");
  const entities = NAMES.slice(0, 6).map((name) => ({
    name,
    type: random.pick(TYPES),
    facts: random.some(FACTS, random.between(0, 3)),
    updated: "2026-02-01T08:00:00Z",
  }));
  const pairs = entities.flatMap(({ name: from }) =>
    entities.filter(({ name }) => name !== from).map(({ name: to }) => ({ from, to })),
  );
  return { entities, relations: random.some(pairs, 7).map((pair) => ({ ...pair, link: random.pick(LINKS) })) };
}

/**
 * Notes as a graph behind an MCP server that answers JSON: entities under their names with facts, and relations that
 * follow a rename and go with a deletion. Times are those of the session.
 */
export const graph: InventedService = {
  name: "graph",
  form: "mcp",
  refusals: "object",
  indent: 2,
  tools: [
    tool("add_entities", "Adds entities; names that exist are skipped.", {
      entities: "objects each name, type, facts",
    }),
    tool("add_facts", "Adds facts to an entity; a fact is kept once.", { name: "string", facts: "list" }),
    tool("remove_fact", "Removes a fact.", { name: "string", fact: "string" }),
    tool("rename_entity", "Renames an entity, in its relations too.", { name: "string", to: "string" }),
    tool("delete_entities", "Deletes entities and their relations.", { names: "list" }),
    tool("relate", "Adds a relation.", { from: "string", to: "string", link: "string" }),
    tool("unrelate", "Removes the relations between two entities.", { from: "string", to: "string", link: "string?" }),
    tool("open_entities", "Shows entities and the relations among them.", { names: "list" }),
    tool("search", "Finds entities by name, type or fact; case does not matter.", {
      query: "string",
      limit: "integer? 5 by default",
    }),
    tool("neighbours", "Names all entities within some steps, whatever the direction.", {
      name: "string",
      steps: "integer? 1 by default, 3 at most",
    }),
    tool("statistics", "Counts entities by type, relations and facts."),
  ],
  start(task, session) {
    let { entities, relations } = firstNotes();
    let clock = Date.UTC(2026, 1, session.between(2, 27), session.between(7, 19), session.between(0, 59));
    const now = () => {
      clock += session.between(2, 40) * 1000;
      return new Date(clock).toISOString().replace(".000", "");
    };
    const entityOf = (name: unknown) => {
      const found = entities.find((one) => one.name === name);
      if (!found) throw new Refusal(`Entity "${name}" not found`);
      return found;
    };
    const texts = (value: unknown) => (Array.isArray(value) ? value.map(String) : []);
    const among = (some: readonly Entity[]) => {
      const names = new Set(some.map(({ name }) => name));
      return relations.filter(({ from, to }) => names.has(from) && names.has(to));
    };
    const handlers = {
      add_entities: ({ entities: given }: Args) => {
        const rows = (Array.isArray(given) ? given : []) as Data[];
        const fresh = rows.filter(({ name }) => !entities.some((one) => one.name === name));
        const wrong = fresh.find(({ type }) => !TYPES.includes(str(type)));
        if (wrong) throw new Refusal(`Unknown type "${wrong.type}"`);
        for (const { name, type, facts } of fresh)
          entities.push({ name: str(name), type: str(type), facts: [...new Set(texts(facts))], updated: now() });
        return { added: fresh.map(({ name }) => name), skipped: rows.length - fresh.length };
      },
      add_facts: ({ name, facts }: Args) => {
        const entity = entityOf(name);
        const fresh = [...new Set(texts(facts))].filter((fact) => !entity.facts.includes(fact));
        entity.facts.push(...fresh);
        if (fresh.length > 0) entity.updated = now();
        return { name: entity.name, added: fresh };
      },
      remove_fact: ({ name, fact }: Args) => {
        const entity = entityOf(name);
        if (!entity.facts.includes(str(fact))) throw new Refusal(`"${name}" has no such fact`);
        entity.facts = entity.facts.filter((one) => one !== fact);
        entity.updated = now();
        return { success: true };
      },
      rename_entity: ({ name, to }: Args) => {
        const entity = entityOf(name);
        if (entities.some((one) => one.name === to)) throw new Refusal(`"${to}" exists already`);
        relations = relations.map(({ link, ...ends }) => ({
          from: ends.from === name ? str(to) : ends.from,
          to: ends.to === name ? str(to) : ends.to,
          link,
        }));
        entity.name = str(to);
        entity.updated = now();
        return { success: true };
      },
      delete_entities: ({ names }: Args) => {
        const gone = texts(names).filter((name) => entities.some((one) => one.name === name));
        entities = entities.filter(({ name }) => !gone.includes(name));
        relations = relations.filter(({ from, to }) => !gone.includes(from) && !gone.includes(to));
        return { deleted: gone.length };
      },
      relate: ({ from, to, link }: Args) => {
        const relation = { from: entityOf(from).name, to: entityOf(to).name, link: str(link) };
        if (from === to) throw new Refusal("An entity cannot be related to itself");
        if (relations.some((one) => one.from === from && one.to === to && one.link === link))
          throw new Refusal("The relation exists already");
        relations.push(relation);
        return relation;
      },
      unrelate: ({ from, to, link }: Args) => {
        const before = relations.length;
        relations = relations.filter(
          (one) => one.from !== from || one.to !== to || (link !== undefined && one.link !== link),
        );
        if (relations.length === before) throw new Refusal("There is no such relation");
        return { removed: before - relations.length };
      },
      open_entities: ({ names }: Args) => {
        const found = entities.filter(({ name }) => texts(names).includes(name));
        return { entities: found, relations: among(found) };
      },
      search: ({ query, limit }: Args) => {
        const wanted = str(query).toLowerCase();
        const found = entities.filter(({ name, type, facts }) =>
          [name, type, ...facts].some((text) => text.toLowerCase().includes(wanted)),
        );
        const shown = found.slice(0, num(limit, 5));
        return {
          total: found.length,
          entities: shown.map(({ name, type, facts }) => ({ name, type, facts: facts.length })),
        };
      },
      neighbours: ({ name, steps }: Args) => {
        const start = entityOf(name).name;
        if (num(steps, 1) < 1 || num(steps, 1) > 3) throw new Refusal("steps must be 1, 2 or 3");
        const reached = new Set([start]);
        for (let i = num(steps, 1); i > 0; i--)
          for (const at of [...reached])
            for (const { from, to } of relations) if (from === at || to === at) reached.add(from === at ? to : from);
        reached.delete(start);
        return [...reached].sort();
      },
      statistics: () => ({
        entities: entities.length,
        by_type: Object.fromEntries(TYPES.map((type) => [type, entities.filter((one) => one.type === type).length])),
        relations: relations.length,
        facts: entities.reduce((sum, { facts }) => sum + facts.length, 0),
      }),
    };
    const known = entities.map(({ name }) => name);
    const [one, two] = task.some(known, 2) as [string, string];
    const fresh = task.pick(NAMES.slice(6));
    const [type, link] = [task.pick(TYPES), task.pick(LINKS)];
    const [fact, second] = task.some(FACTS, 2) as [string, string];
    const query = task.pick([type, type.toUpperCase(), second.split(" ")[0], one.slice(0, 4).toLowerCase()]);
    const goal = task.between(0, 3);
    const steps = task.pick([undefined, 2]);
    function* plan(): Plan {
      if (goal === 0) {
        const facts = task.pick([[], [fact], [fact, second]]);
        yield call("add_entities", {
          entities: [
            { name: fresh, type, facts },
            { name: one, type, facts: [] },
          ],
        });
        yield call("relate", { from: fresh, to: one, link });
        yield call("open_entities", { names: [fresh, one, two] });
        yield call("neighbours", { name: fresh, steps: 2 });
      } else if (goal === 1) {
        const name = rowsOf(yield call("search", { query }))[0]?.name ?? one;
        yield call("add_facts", { name, facts: [fact, second] });
        yield call("remove_fact", { name, fact });
        yield call("open_entities", { names: [name] });
        yield call("search", { query: second, limit: task.pick([undefined, 2]) });
      } else if (goal === 2) {
        yield call("neighbours", { name: one, steps });
        yield call("rename_entity", { name: one, to: fresh });
        yield call("open_entities", { names: [one, fresh, two] });
        yield call("relate", { from: two, to: fresh, link });
        yield call("neighbours", { name: fresh, steps });
      } else {
        yield call("open_entities", { names: known.slice(0, 4) });
        yield call("unrelate", { from: one, to: two, link: task.pick([undefined, link]) });
        yield call("delete_entities", { names: [two, fresh] });
        yield call("neighbours", { name: one, steps });
        yield call("statistics");
      }
    }
    return {
      request: `Notes: ${[`${fresh} is a ${type}, ${link} ${one}.`, `look for "${query}" and note: ${second}; not ${fact}.`, `${one} is called ${fresh} now; ${two} ${link} it.`, `forget ${two} and ${fresh}, ${one} stays.`][goal]}`,
      handlers,
      plan: plan(),
      stray: (random) =>
        random.pick([
          call("statistics"),
          call("search", { query: random.pick([query, "e", "nothing"]), limit: random.pick([undefined, 1]) }),
          call("neighbours", { name: random.pick([...known, "Nobody"]), steps: random.pick([undefined, 3, 4]) }),
          call("open_entities", { names: random.some([...known, fresh], 2) }),
          call("relate", { from: one, to: random.pick([one, two, "Nobody"]), link }),
          call("add_facts", { name: random.pick([one, two]), facts: [random.pick(FACTS)] }),
          call("unrelate", { from: two, to: random.pick(known) }),
        ]),
    };
  },
};
