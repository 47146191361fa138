import type { RegisteredOperation } from "../../tools/kernel/registry.ts";
import { NO_LIMIT_MS } from "../hangs.ts";
import type { TestApp, TestMcp } from "../helpers/app.ts";
import { minimal, type Schema } from "../helpers/json-schema.ts";

/** What one answer may cost a model: characters of all that it is sent, by four. */
export const MOST_TOKENS = 4_000;

/** Records of a store by kind, and its groups of trials: what operations are asked about. */
export interface ReadStore {
  readonly ids: Readonly<Record<string, string>>;
  readonly groups: readonly string[];
}

/** What an operation answered. */
export interface Told {
  readonly tool: string;
  readonly tokens: number;
  readonly refused: boolean;
  /** What it says to do next, and the same as a call. */
  readonly next?: string;
  readonly call?: unknown;
}

async function told({ client }: TestMcp, tool: string, args: Record<string, unknown>): Promise<Told> {
  const { content, structuredContent, isError } = await client.callTool({ name: tool, arguments: args }, undefined, {
    timeout: NO_LIMIT_MS,
  });
  const tokens = Math.ceil(JSON.stringify({ content, structuredContent }).length / 4);
  const { next, next_call: call } = (structuredContent ?? {}) as { next?: string; next_call?: unknown };
  return { tool, tokens, refused: isError === true, ...(next === undefined ? {} : { next }), call };
}

/** Arguments of an operation that name records of the store, where it has one of their kind. */
function argumentsOf(
  { op, listing }: RegisteredOperation,
  { ids, groups }: ReadStore,
  surface: string,
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

/** Asks one operation about records of the store, with what else is given. */
export function askOf(
  mcp: TestMcp,
  registered: RegisteredOperation,
  store: ReadStore,
  { surface, given = {} }: { readonly surface: string; readonly given?: Record<string, unknown> },
): Promise<Told> {
  return told(mcp, registered.op.name, { ...argumentsOf(registered, store, surface), ...given });
}

/** Prints the largest answers, and what was refused. */
export function print(rows: readonly Told[]): void {
  const answered = rows.filter(({ refused }) => !refused).sort((a, b) => b.tokens - a.tokens);
  const lines = answered.slice(0, 20).map(({ tool, tokens }) => `${String(tokens).padStart(6)} ${tool}`);
  console.log([`${answered.length} of ${rows.length} answered; the largest, in tokens:`, ...lines].join("\n"));
  console.log(`refused: ${rows.filter(({ refused }) => refused).map(({ tool }) => tool)}`);
}

/** Asks every operation that reads, over MCP, about the records of the store, and prints the largest answers. */
export async function readAll(app: TestApp, mcp: TestMcp, store: ReadStore, surface: string): Promise<Told[]> {
  const rows: Told[] = [];
  for (const registered of app.service.registry.operations)
    if (registered.op.effect === "read") rows.push(await askOf(mcp, registered, store, { surface }));
  print(rows);
  return rows;
}

/** Answers above the limit, each with its tokens. */
export function tooLarge(rows: readonly Told[]): string[] {
  return rows.filter(({ tokens }) => tokens > MOST_TOKENS).map(({ tool, tokens }) => `${tool} ${tokens}`);
}
