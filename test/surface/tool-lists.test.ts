import { describe, expect, it } from "vitest";
import { ToolLists } from "../../src/mcp/tool-lists.ts";
import { chapters } from "../../tools/index.ts";
import { leanInputsOf } from "../../tools/kernel/lean.ts";
import { Registry } from "../../tools/kernel/registry.ts";

const registry = new Registry(chapters);
const lists = new ToolLists(registry);
const listed = (query: string, ownOrg = true) => lists.of(new URLSearchParams(query), ownOrg).tools;
const tokens = (value: unknown) => Math.ceil(JSON.stringify(value).length / 4);
interface Shown {
  readonly name: string;
  readonly inputSchema: { readonly properties: Record<string, Record<string, unknown>>; readonly required?: string[] };
}
const tool = (name: string, query = "", ownOrg = true) =>
  listed(query, ownOrg).find((each) => each.name === name) as unknown as Shown;

/** What a title may begin with. */
const VERBS = new Set(
  `Accept Add Archive Ask Assign Audit Begin Call Cancel Certify Change Check Choose Classify Clean
Come Comment Compare Compile Confirm Connect Convert Copy Correct Count Declare Delete Derive
Describe Detect Disconnect Discover Dismiss Draw Dry-run Edit End Expect Explain Export File Find
Finish Generate Get Grade Group Hold Import Investigate Keep Label List Look Make Mark Merge Mint
Mirror Name Onboard Open Peek Pick Post Preview Probe Propose Publish Pull Put Rate Re-draw Read
Rebuild Recompute Record Refresh Rehearse Rekey Remove Rename Reset Restore Retire Review Revoke Run
Scan Script See Send Serve Set Show Smoke-test Start State Stop Store Supersede Take Turn Undo Voice
Watch Write`.split(/\s+/),
);

describe("the list that a model pays for", () => {
  // Finding E44.
  it("holds all tools in 62,000 tokens, the shaped ones in 10,000", () => {
    expect(listed("")).toHaveLength(registry.operations.length);
    expect(tokens(listed(""))).toBeLessThanOrEqual(62_000);
    expect(listed("shaped=1")).toHaveLength(38);
    expect(tokens(listed("shaped=1"))).toBeLessThanOrEqual(10_000);
  });

  it("describes a tool in 360 characters at most, a field in 80", () => {
    const long: string[] = [];
    const walk = (schema: unknown, path: string): void => {
      if (typeof schema !== "object" || schema === null) return;
      const { description } = schema as { description?: unknown };
      if (typeof description === "string" && description.length > 80) long.push(`${path}: ${description}`);
      for (const [key, part] of Object.entries(schema)) walk(part, `${path}.${key}`);
    };
    for (const { name, description, inputSchema } of listed("")) {
      if (description.length > 360) long.push(`${name}: ${description}`);
      walk(inputSchema.properties, name);
    }
    expect(long).toEqual([]);
  });

  it("describes a tool in two sentences at most, and says what an id is of where its name does not", () => {
    const sentences = (text: string) => text.split(/(?<=[.!?])\s+/).length;
    expect(listed("").filter(({ description }) => sentences(description) > 2)).toEqual([]);
    expect(tool("run_group").inputSchema.properties.gid?.description).toBe("Id of the run group.");
    expect(tool("environment_get").inputSchema.properties.env_id).not.toHaveProperty("description");
    const short = (listed("") as unknown as Shown[]).flatMap(({ name, inputSchema }) =>
      Object.entries(inputSchema.properties)
        .filter(([field, { description }]) => /^[a-z]{1,2}id$/.test(field) && description === undefined)
        .map(([field]) => `${name} ${field}`),
    );
    expect(short).toEqual([]);
  });

  it("gives each tool a title of its own that begins with a verb", () => {
    const titles = listed("").map(({ name, title }) => ({ name, title: title ?? "" }));
    expect(titles.filter(({ title }) => !VERBS.has(title.split(" ")[0] ?? ""))).toEqual([]);
    expect(new Set(titles.map(({ title }) => title)).size).toBe(titles.length);
  });

  it("is the same from the schemas that a build keeps as JSON", () => {
    const kept = JSON.parse(JSON.stringify(leanInputsOf(registry.operations.map(({ op }) => op))));
    for (const [kind, ownOrg] of Object.entries({ own: true, any: false }))
      for (const { name, inputSchema } of listed("", ownOrg)) expect(kept[name][kind], name).toStrictEqual(inputSchema);
  });

  // Finding E45, with the two tests beside it.
  it("leaves out what the credential says, and keeps it for one that spans orgs", () => {
    expect(tool("agents_list").inputSchema.properties).not.toHaveProperty("orgtag");
    expect(tool("agents_patch").inputSchema.properties).not.toHaveProperty("by");
    expect(tool("agents_list", "", false).inputSchema.properties).toHaveProperty("orgtag");
    expect(tool("jobs_list", "", false).inputSchema.properties).toHaveProperty("org");
  });

  it("shows each field that a call must give, under its own name", () => {
    for (const { op, listing } of registry.operations) {
      const whole = listing.inputSchema as unknown as Shown["inputSchema"];
      const { inputSchema } = tool(op.name);
      expect(inputSchema.required ?? [], op.name).toEqual(whole.required ?? []);
      const left = Object.keys(whole.properties).filter((field) => !(field in inputSchema.properties));
      expect(
        left.every((field) => ["orgtag", "org", "by"].includes(field)),
        `${op.name}: ${left}`,
      ).toBe(true);
    }
  });

  it("names only annotations that the protocol would not assume, and no title twice", () => {
    const read = listed("").find(({ name }) => name === "agents_list");
    expect(read?.annotations).toEqual({ readOnlyHint: true, openWorldHint: false });
    const created = listed("").find(({ name }) => name === "agents_post");
    expect(created?.annotations).toEqual({ destructiveHint: false, openWorldHint: false });
    expect(listed("").find(({ name }) => name === "org_delete")?.annotations).not.toHaveProperty("destructiveHint");
  });

  it("shows a large structure whole in one tool and its outline in the others", () => {
    const kinds = (schema: unknown) => JSON.stringify(schema).includes('"answer_includes"');
    expect(kinds(tool("environment_tasks_post").inputSchema)).toBe(true);
    const outlined = tool("environment_scripts_dry_run").inputSchema.properties.checks;
    expect(kinds(outlined)).toBe(true);
    expect(tokens(outlined)).toBeLessThan(120);
    expect(
      tokens(tool("environment_scripts_dry_run", "output_schemas=1").inputSchema.properties.checks),
    ).toBeGreaterThan(500);
  });

  it("is whole for a program that asks for output schemas", () => {
    const [whole] = listed("output_schemas=1").filter(({ name }) => name === "org_status");
    expect(whole).toHaveProperty("outputSchema");
    expect(whole).toHaveProperty("annotations.title");
    expect(tool("agents_list", "output_schemas=1").inputSchema.properties).toHaveProperty("orgtag");
  });
});

describe("toolset=core", () => {
  // Findings E44 and E46.
  it("holds 15 to 20 operations and the three that reach all others, in 6,000 tokens", () => {
    const core = listed("toolset=core");
    expect(tokens(core)).toBeLessThanOrEqual(6_000);
    expect(core.slice(-3).map(({ name }) => name)).toEqual(["find_operations", "read_operation", "call_operation"]);
    const operations = core.slice(0, -3).map(({ name }) => name);
    expect(operations.length).toBeGreaterThanOrEqual(15);
    expect(operations.length).toBeLessThanOrEqual(20);
    expect(operations.every((name) => registry.get(name) !== undefined)).toBe(true);
    const hints = Object.fromEntries(core.slice(-3).map(({ name, annotations }) => [name, annotations]));
    expect(hints.find_operations).toMatchObject({ readOnlyHint: true });
    expect(hints.read_operation).toMatchObject({ readOnlyHint: true });
    // The protocol assumes that a tool destroys unless it says otherwise.
    expect(hints.call_operation ?? {}).not.toHaveProperty("destructiveHint");
  });

  it("is narrowed by scope and chapters like any list", () => {
    const names = (query: string) => listed(query).map(({ name }) => name);
    expect(names("toolset=core&scope=read")).not.toContain("evidence_post");
    expect(names("toolset=core&scope=read")).not.toContain("call_operation");
    expect(names("toolset=core&chapters=runs")).toEqual([
      "job_status",
      "start_run",
      "watch_job",
      "run_groups_list",
      "run_group",
      "run_trace",
      "compare_runs",
      "find_operations",
      "read_operation",
      "call_operation",
    ]);
    expect(() => listed("toolset=big")).toThrow("all, core");
  });
});
