import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { isDestructive } from "../../src/mcp/core-tools.ts";
import { startApp, type TestApp, type TestMcp, type TestOrg } from "../helpers/app.ts";

let app: TestApp;
let org: TestOrg;
let mcp: TestMcp;
beforeAll(async () => {
  app = await startApp({ jobs: false });
  org = await app.org();
  mcp = await app.mcp(org.admin, { toolset: "core" });
});
afterAll(() => app.close());

interface FoundOperation {
  readonly name: string;
  readonly call: string;
  readonly confirm?: string;
  readonly inputSchema: { readonly properties: Record<string, unknown> };
}
const texts = async (name: string, args: Record<string, unknown>, client = mcp) => {
  const { content, isError } = await client.client.callTool({ name, arguments: args });
  return { text: (content as { text: string }[])[0]?.text ?? "", isError: isError === true };
};
const find = async (query: string, more: Record<string, unknown> = {}, client = mcp) =>
  JSON.parse((await texts("find_operations", { query, ...more }, client)).text) as {
    operations: FoundOperation[];
    more?: { name: string }[];
    found: number;
    note?: string;
  };

describe("find_operations", () => {
  it("answers whole definitions and the tool that calls each", async () => {
    const { operations } = await find("what did that check want?");
    const checks = operations.find(({ name }) => name === "environment_task_checks");
    expect(checks).toMatchObject({
      call: "read_operation",
      inputSchema: { properties: { env_id: { type: "string" } } },
    });
    const [deletion] = (await find("org_delete")).operations;
    expect(deletion).toMatchObject({ name: "org_delete", call: "call_operation", confirm: "org_delete" });
  });

  it("finds what people ask for in words that no definition has", async () => {
    for (const [query, name] of [
      ["make tasks about late parcels", "generate_environments"],
      ["our rule has too few tests", "environments_for_criteria"],
      ["somebody broke the tasks yesterday, go back to the old state", "environment_revision_restore"],
    ] as const)
      expect((await find(query)).operations.map((one) => one.name)).toContain(name);
  });

  it("fits into 4,000 tokens whatever is asked, and names what it leaves out", async () => {
    const wide = await texts("find_operations", { query: "schedule source agent task world run report", limit: 20 });
    expect(wide.text.length / 4).toBeLessThanOrEqual(4_000);
    const { operations, more = [] } = JSON.parse(wide.text) as { operations: object[]; more?: object[] };
    expect(operations.length + more.length).toBe(20);
  });

  it("says so where nothing fits, and refuses a query that is none", async () => {
    expect(await find("xylophone")).toMatchObject({
      operations: [],
      found: 0,
      note: expect.stringContaining("org_status"),
    });
    expect((await texts("find_operations", { query: "" })).isError).toBe(true);
    expect((await texts("find_operations", { query: "x", limt: 3 })).text).toContain("limt");
  });

  it("finds only what the URL leaves", async () => {
    const reader = await app.mcp(org.admin, { toolset: "core", scope: "read" });
    const { operations } = await find("delete the org", { limit: 20 }, reader);
    expect(operations.some(({ name }) => name === "org_delete")).toBe(false);
  });
});

describe("read_operation and call_operation", () => {
  it("answer as the operation itself does", async () => {
    const direct = await (await app.mcp(org.admin)).call("whoami");
    expect((await mcp.call("read_operation", { name: "whoami" })).body).toEqual(direct.body);
    const shaped = await texts("read_operation", { name: "failure_modes" });
    expect(shaped.text.split("\n")[0]).toBe((await texts("failure_modes", {})).text.split("\n")[0]);
  });

  it("write and read through the same arguments", async () => {
    const made = await mcp.call("call_operation", {
      name: "members_post",
      arguments: { email: "a@example.com", name: "A" },
    });
    expect(made.status).toBe(201);
    const listed = await mcp.call("read_operation", { name: "members_list" });
    expect(JSON.stringify(listed.body)).toContain("a@example.com");
  });

  it("refuse to read by what changes, and lead to the tool that does", async () => {
    const { text, isError } = await texts("read_operation", { name: "members_post", arguments: {} });
    expect(isError).toBe(true);
    expect(text).toContain("call_operation");
  });

  it("do none of the destructive operations without its name in confirm", async () => {
    const destructive = app.service.registry.operations.filter(isDestructive);
    expect(destructive.length).toBeGreaterThanOrEqual(16);
    for (const { op } of destructive) {
      for (const confirm of [undefined, "yes", "true"]) {
        const { text, isError } = await texts("call_operation", { name: op.name, arguments: {}, confirm });
        expect(isError, op.name).toBe(true);
        expect(JSON.parse(text).fields, op.name).toEqual([
          { path: "confirm", message: expect.stringContaining(`"confirm": "${op.name}"`) },
        ]);
      }
    }
    const gone = await mcp.call("call_operation", {
      name: "members_delete",
      arguments: { mid: "mem_unknown" },
      confirm: "members_delete",
    });
    expect(gone.status).toBe(404);
  });

  it("lead on from a name that is none", async () => {
    const { text } = await texts("call_operation", { name: "compare_run", arguments: {} });
    expect(text).toContain("compare_runs");
    expect(text).toContain("find_operations");
  });

  it("name what the operator alone does where that is asked for", async () => {
    const { text } = await texts("find_operations", {
      query: "erase the traces of a customer who asks to be forgotten",
    });
    expect(JSON.parse(text).by_operator[0].run).toBe("svc operator erase_person orgtag=… values=…");
    const other = await texts("find_operations", { query: "compare two run groups" });
    expect(JSON.parse(other.text).by_operator).toBeUndefined();
  });

  it("hold the token's scope", async () => {
    const reader = await app.mcp(org.read, { toolset: "core" });
    const args = { name: "members_post", arguments: { email: "b@example.com", name: "B" } };
    expect((await reader.call("call_operation", args)).status).toBe(403);
  });

  // Finding E51: what is near to a name that is none.
  it("are named to whoever calls an operation that is not listed", async () => {
    const told = async (name: string, client = mcp) =>
      client.client.callTool({ name, arguments: {} }).then(
        () => "",
        (error: Error) => error.message,
      );
    expect(await told("members_list")).toContain("read_operation");
    expect(await told("members_delete")).toContain("call_operation");
    expect(await told("compare_run")).toMatch(/Did you mean compare_runs.*find_operations/);
    const narrow = await app.mcp(org.admin, { chapters: "runs" });
    expect(await told("members_list", narrow)).toContain("?chapters=organization");
    expect(await told("comparerun", narrow)).toContain("Did you mean compare_runs");
  });

  it("are no tools of the whole list", async () => {
    const whole = await app.mcp(org.admin);
    expect((await whole.list()).map(({ name }) => name)).not.toContain("find_operations");
    await expect(whole.client.callTool({ name: "find_operations", arguments: { query: "x" } })).rejects.toMatchObject({
      code: -32602,
    });
  });
});
