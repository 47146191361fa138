import { expect, it } from "vitest";
import { ToolLists } from "../../src/mcp/tool-lists.ts";
import { chapters } from "../../tools/index.ts";
import { Registry } from "../../tools/kernel/registry.ts";

/** Names of input fields that speak for themselves wherever they stand, by why. */
const SPEAKS: Readonly<Record<string, string>> = {
  "ids of the noun in their name":
    "agent bundle_id env env_id environment evidence group job job_id member report_id rev run source surface thread world",
  "rows of a list, which the server's instructions explain": "cursor limit offset",
  "words of one's own, kept as they are": "description label name note notes reason text title",
  "what is called so everywhere": "email file_name licence repository url",
  "an object, a table, a tool of the service under test, by its name": "column table task tool",
  "lists of objects whose own fields say it":
    "attributes calls checks connectors items labels personas ratings scripts tasks",
  "closed sets whose values say it":
    "channel class family format hypothesis kind op origin provenance role scope state status",
  "numbers whose unit is in the name": "agent_ms max_cost_usd max_ms min_cost_usd usd",
  "arguments and values, which are as the tool or field has them": "args value",
  "a switch that turns on what the tool's title names": "on",
  "what the user says, in order, as a task holds it": "request script turns",
  "a version's label": "version",
  "the vendor's own names of its keys, its site and its workspace": "api_key app_key site team_name",
};

/** Fields that what they stand in describes, by what that is; each as its parent and its name. */
const WITHIN: Readonly<Record<string, string>> = {
  "the parent's description says it":
    "about.id about.index finding.main mode.id observations.attempts origin.ref origin.repo origin.sha seen.head seen.route voice.persona window.from window.to",
  "ids of traces in a list of them": "clusters[].traces",
  "true or false of the row that it stands in": "connectors[].retired connector_patch.retired",
  "its items are described": "mirror_post.kinds",
};

interface Schema {
  readonly description?: string;
  readonly const?: unknown;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly additionalProperties?: Schema | boolean;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
}

const registry = new Registry(chapters);
const { tools } = new ToolLists(registry).of(new URLSearchParams(), true);

/** Every input field of the list, with those inside of it: its name, its path and its schema. */
const fields = tools.flatMap(({ name, inputSchema }) => [...inside(inputSchema as Schema, name)]);

function* inside(schema: Schema, path: string): Generator<{ name: string; path: string; field: Schema }> {
  for (const [name, field] of Object.entries(schema.properties ?? {})) {
    yield { name, path: `${path}.${name}`, field };
    yield* inside(field, `${path}.${name}`);
  }
  const { items, additionalProperties: values, anyOf = [], oneOf = [] } = schema;
  for (const part of [items, values, ...anyOf, ...oneOf])
    if (typeof part === "object") yield* inside(part, `${path}[]`);
}

const names = (lists: Readonly<Record<string, string>>) => Object.values(lists).flatMap((each) => each.split(" "));
const [speaking, within] = [new Set(names(SPEAKS)), new Set(names(WITHIN))];
const parented = (path: string) => path.split(".").slice(-2).join(".");
const bare = fields.filter(({ field }) => field.description === undefined && field.const === undefined);

it("describes every input field whose name and type do not say what it is", () => {
  expect(fields.length).toBeGreaterThan(1_000);
  const silent = bare.filter(({ name, path }) => !speaking.has(name) && !within.has(parented(path)));
  expect(silent.map(({ path }) => path)).toEqual([]);
});

it("keeps no name that needs no leave to stand without a description", () => {
  const used = new Set(bare.flatMap(({ name, path }) => [name, parented(path)]));
  expect([...speaking, ...within].filter((name) => !used.has(name))).toEqual([]);
});
