import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { RegisteredOperation } from "../../tools/kernel/registry.ts";
import { invoker, startApp, type TestApp, type TestMcp, type TestOrg } from "../helpers/app.ts";
import { minimal, type Schema } from "../helpers/json-schema.ts";
import { ended, ok } from "../tools/sandboxes/kit.ts";
import { type DeskStore, deskStore } from "./desk-store.ts";

/** What one answer may cost a model: characters of all that it is sent, by four. */
const MOST_TOKENS = 4_000;
const DEV = join(process.env.SVC_DATA ?? "", "dev");

let app: TestApp;
let org: TestOrg;
let mcp: TestMcp;
let desk: DeskStore;
beforeAll(async () => {
  app = await startApp();
  org = await app.org();
  mcp = await app.mcp(org.admin);
  desk = await deskStore(app, org, 1);
}, 600_000);
afterAll(() => app.close());

interface Told {
  readonly tool: string;
  readonly tokens: number;
  readonly refused: boolean;
  /** What it says to do next, and the same as a call. */
  readonly next?: string;
  readonly call?: unknown;
}

async function told(tool: string, args: Record<string, unknown>, by = mcp): Promise<Told> {
  const { content, structuredContent, isError } = await by.client.callTool({ name: tool, arguments: args });
  const tokens = Math.ceil(JSON.stringify({ content, structuredContent }).length / 4);
  const { next, next_call: call } = (structuredContent ?? {}) as { next?: string; next_call?: unknown };
  return { tool, tokens, refused: isError === true, ...(next === undefined ? {} : { next }), call };
}

/** Arguments of a read that name records of the store, where it has one of their kind. */
function argumentsOf(
  { op, listing }: RegisteredOperation,
  { ids, groups }: DeskStore,
  surface = "desk",
): Record<string, unknown> {
  const known: Record<string, unknown> = {
    env_id: ids.environment,
    env: ids.environment,
    environment: ids.environment,
    aid: ids.agent,
    gid: groups[3],
    group: groups[3],
    a: groups[2],
    b: groups[3],
    rid: ids.run,
    job_id: ids.job,
    eid: ids.evidence,
    bundle_id: ids.bundle,
    world: ids.world,
    report_id: ids.report,
    sid: ids.schedule,
    surface,
    index: 0,
  };
  const { orgtag: _own, ...args } = minimal(listing.inputSchema as Schema);
  const named = Object.keys(args).filter((name) => known[name] !== undefined);
  const own = op.name === "surface_ontology_diff" ? [] : named;
  return { ...args, ...Object.fromEntries(own.map((name) => [name, known[name]])) };
}

function print(rows: readonly Told[]): void {
  const answered = rows.filter(({ refused }) => !refused).sort((a, b) => b.tokens - a.tokens);
  const lines = answered.slice(0, 20).map(({ tool, tokens }) => `${String(tokens).padStart(6)} ${tool}`);
  console.log([`${answered.length} of ${rows.length} answered; the largest, in tokens:`, ...lines].join("\n"));
  console.log(`refused: ${rows.filter(({ refused }) => refused).map(({ tool }) => tool)}`);
}

describe("an answer that a model pays for", () => {
  it("of every operation that reads has at most 4,000 tokens", async () => {
    const rows: Told[] = [];
    for (const registered of app.service.registry.operations)
      if (registered.op.effect === "read") rows.push(await told(registered.op.name, argumentsOf(registered, desk)));
    print(rows);
    expect(rows.filter(({ tokens }) => tokens > MOST_TOKENS).map(({ tool, tokens }) => `${tool} ${tokens}`)).toEqual(
      [],
    );
    expect(rows.filter(({ next, call }) => next !== undefined && call === undefined)).toEqual([]);
    expect(rows.filter(({ next }) => next !== undefined).length).toBeGreaterThanOrEqual(8);
    expect(rows.filter(({ refused }) => !refused).length).toBeGreaterThanOrEqual(115);
  });

  it.runIf(existsSync(DEV))("of published results has at most 4,000 tokens too", async () => {
    const bank = await app.org("published");
    const invoke = invoker(app, "rest", bank);
    const content = JSON.parse(readFileSync(join(DEV, "retail/tau2.gpt-4.1.json"), "utf8"));
    await ok(invoke("evidence_post", { surface: "retail", content }));
    const tools = JSON.parse(readFileSync(join(DEV, "retail/tools.tau2.json"), "utf8"));
    await ok(invoke("evidence_post", { surface: "retail", content: tools }));
    const { body } = await ok(invoke("pipeline_post", { surface: "retail" }));
    const { result } = await ended(invoke, body.job);
    const environment: string = result.environments[0].id;
    const started = (await ok(invoke("start_run", { environment, harness: "rule" }))).body;
    await ended(invoke, started.job);
    const { evidence } = (await ok(invoke("evidence_list"))).body;
    const { bundles } = (await ok(invoke("bundles_list"))).body;
    const { runs } = (await ok(invoke("runs_list"))).body;
    const ids = {
      environment,
      evidence: evidence.at(-1).id,
      bundle: bundles[0].id ?? bundles[0].bundle,
      run: runs[0].id ?? runs[0].run,
      job: started.job,
    };
    const store = { ids, groups: [started.group, started.group, started.group, started.group] } as const;
    const client = await app.mcp(bank.admin);
    const rows: Told[] = [];
    for (const registered of app.service.registry.operations)
      if (registered.op.effect === "read")
        rows.push(await told(registered.op.name, argumentsOf(registered, store, "retail"), client));
    print(rows);
    expect(rows.filter(({ tokens }) => tokens > MOST_TOKENS).map(({ tool, tokens }) => `${tool} ${tokens}`)).toEqual(
      [],
    );
    expect(rows.filter(({ refused }) => !refused).length).toBeGreaterThanOrEqual(100);
  });
});
