import type { Bundle } from "../../../worlds/bundle.ts";

/** A behaviour to begin from, with what it does in words. */
export interface BehaviourExample {
  readonly words: string;
  readonly behaviour: string;
}

/** A name that an expression takes as it is. */
const PLAIN = /^[A-Za-z_]\w*$/;

/** Whole behaviours over the largest table that a world has, by an argument of the tool; without a table, those that need none. */
export function behaviourExamples({ tables, tools }: Bundle, tool: string): BehaviourExample[] {
  const { properties = {}, required = [] } = (tools.find(({ name }) => name === tool)?.inputSchema ?? {}) as {
    readonly properties?: Readonly<Record<string, unknown>>;
    readonly required?: readonly string[];
  };
  const names = [...required, ...Object.keys(properties)].filter((name) => PLAIN.test(name));
  const [table] = tables
    .filter(
      ({ name, key, internal }) =>
        internal !== true && PLAIN.test(name) && key.length === 1 && PLAIN.test(key[0] ?? ""),
    )
    .sort((x, y) => y.columns.length - x.columns.length);
  const key = table?.key[0] ?? "";
  const arg = names.find((name) => name === key) ?? names[0];
  const refusing = { words: "Refuses every call with an error.", behaviour: 'refuse "This is closed today"' };
  if (table === undefined || arg === undefined) return [refusing];
  const from = `${table.name} by ${key} = {${arg}}`;
  const column = table.columns.map(({ name }) => name).find((name) => name !== key && PLAIN.test(name));
  const missing = 'else error "Not found"';
  return [
    {
      words: `Answers a row of ${table.name}, and an error where there is none.`,
      behaviour: `read ${from} ${missing}`,
    },
    ...(column === undefined
      ? []
      : [
          {
            words: `Sets a field of a row once, refuses it the second time, and answers the row.`,
            behaviour: `update ${from} set ${column} = "closed" require row.${column} != "closed" else error "It is so already" ${missing}`,
          },
        ]),
    { words: `Takes a row of ${table.name} away.`, behaviour: `delete ${from} ${missing}` },
    refusing,
  ];
}
