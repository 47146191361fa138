import { describe, expect, it } from "vitest";
import { type Answer, type Invoke, invoker, startApp, type TestApp, type TestOrg } from "../../helpers/app.ts";
import { minimal, type Schema } from "../../helpers/json-schema.ts";
import { foundInStore } from "../../helpers/stores/data-folder.ts";
import { ended, ok } from "../sandboxes/kit.ts";
import { OTHER_FORMATS } from "./planted-documents.ts";
import { TRACE_FORMATS } from "./planted-traces.ts";
import { type Planted, person, sessionOf, tokensOf, VALUE } from "./planted-values.ts";

/** Everything that the service wrote to its log, at any level. */
const logged: string[] = [];
const line = (fields: unknown, message: string) => {
  const err = (fields as { err?: unknown }).err;
  logged.push(message, JSON.stringify(fields), String(err), String((err as Error | undefined)?.stack));
};
const log = { info: line, warn: line, error: line };

const SESSIONS = 3;
const MAIN = 16;

interface Workspace {
  readonly app: TestApp;
  readonly org: TestOrg;
  readonly invoke: Invoke;
  /** Ids by what they are, for the routes that ask for one. */
  readonly ids: Map<string, string[]>;
  readonly planted: Map<string, Planted[]>;
}

/** Sends every format, each about people of its own. */
async function send({ invoke, ids, planted }: Workspace, access: "anonymized" | "shapes") {
  let n = 0;
  const post = async (name: string, content: unknown, people: Planted[], surface: string) => {
    planted.set(name, people);
    const format = name.split(" ")[0];
    const { body } = await ok(invoke("evidence_post", { content, surface, data_access: access }));
    expect([name, body.format, body.refused], name).toEqual([name, format, []]);
    ids.set("eid", [...(ids.get("eid") ?? []), body.id]);
  };
  for (const [name, encode] of Object.entries(TRACE_FORMATS)) {
    const people = Array.from({ length: name === "openai-chat" ? MAIN : SESSIONS }, () => person(n++));
    const surface = name === "openai-chat" ? "desk" : `of ${name}`;
    await post(name, encode(people.map(sessionOf)), people, surface);
  }
  for (const [name, encode] of Object.entries(OTHER_FORMATS)) {
    const who = person(n++);
    await post(name, await encode(who), [who], `of ${name}`);
  }
}

/** What of what was planted stands in a text, with the format that it was planted in. */
function leaks(planted: Workspace["planted"], text: string, more: readonly string[] = []): string[] {
  const lower = text.toLowerCase();
  const found = more.filter((token) => lower.includes(token.toLowerCase()));
  for (const [name, people] of planted)
    for (const who of people)
      for (const token of tokensOf(who)) if (lower.includes(token.toLowerCase())) found.push(`${name}: ${token}`);
  return found;
}

/** Everything that can be done with evidence without a model: read, compile, draw, run, report. */
async function work({ invoke, ids }: Workspace) {
  const job = async (tool: string, args: Record<string, unknown>) => {
    const { body } = await ok(invoke(tool, args));
    return ended(invoke, body.job);
  };
  for (const eid of ids.get("eid") ?? []) {
    await invoke("evidence_toolspec", { eid });
    const started = await invoke("evidence_extract", { eid });
    if (started.status < 300 && started.body.job) await ended(invoke, started.body.job);
    await invoke("facets_post", { evidence: eid });
    const derived = await invoke("dimensions_derive", { source: eid });
    if (derived.status < 300) await ended(invoke, derived.body.job);
  }
  const surfaces = [...new Set(["desk", ...[...Object.keys(TRACE_FORMATS)].map((name) => `of ${name}`)])];
  for (const surface of surfaces) {
    const started = await invoke("ontology_compile", { surface });
    if (started.status < 300) await ended(invoke, started.body.job);
  }
  await invoke("apidoor_post", {});
  const pipeline = await job("pipeline_post", { surface: "desk" });
  await job("after_ingest_post", {}).catch(() => undefined);
  return pipeline;
}

async function tryOut({ invoke, ids }: Workspace, env: string) {
  ids.set("env_id", [env]).set("env", [env]).set("sid", [env]).set("environment", [env]);
  const listed = (await ok(invoke("environment_tasks", { env_id: env }))).body;
  ids.set(
    "index",
    listed.tasks.slice(0, 3).map((task: { index: number }) => String(task.index)),
  );
  for (const harness of ["reference", "null"]) {
    const { body, status } = await invoke("start_run", { environment: env, harness, include_held: true });
    if (status >= 300) continue;
    await ended(invoke, body.job);
    ids.set("gid", [...(ids.get("gid") ?? []), body.group]);
    ids.set("job_id", [body.job]);
  }
  const [a, b] = ids.get("gid") ?? [];
  await invoke("compare_runs", { a, b });
  await invoke("reports_post", { kind: "compare", a, b });
  await invoke("weekly_report", {});
  await invoke("environment_audit_post", { env_id: env });
  const world = await invoke("worlds_post", { env_id: env });
  const { bundle_id, world: name } = world.body ?? {};
  if (name) ids.set("world", [name]).set("bundle_id", [bundle_id]);
}

/** Asks every reading operation with the ids there are; answers how many answered and what of the planted was in any answer. */
async function readAll({ app, invoke, ids, planted }: Workspace, more: readonly string[]) {
  const found = new Set<string>();
  let answered = 0;
  for (const { op, listing } of app.service.registry.operations) {
    if (op.effect !== "read") continue;
    const base = minimal(listing.inputSchema as Schema);
    delete base.orgtag;
    const named = Object.keys(op.input.shape).filter((field) => ids.has(field));
    const rounds = Math.max(1, ...named.map((field) => ids.get(field)?.length ?? 0));
    for (let i = 0; i < rounds; i++) {
      const args: Record<string, unknown> = { ...base };
      for (const field of named) {
        const known = ids.get(field) ?? [];
        if (field in base || op.route.includes(`{${field}`)) args[field] = known[i % known.length];
      }
      const answer: Answer | undefined = await invoke(op.name, args).catch(() => undefined);
      if (answer && answer.status < 300) answered++;
      for (const leak of leaks(planted, JSON.stringify(answer ?? null), more)) found.add(`${op.name} ${leak}`);
    }
  }
  return { answered, found: [...found] };
}

async function on(access: "anonymized" | "shapes", then: (workspace: Workspace) => Promise<void>) {
  const app = await startApp({ log });
  try {
    const org = await app.org();
    const workspace = { app, org, invoke: invoker(app, "rest", org), ids: new Map(), planted: new Map() };
    logged.length = 0;
    await send(workspace, access);
    await then(workspace);
  } finally {
    await app.close();
  }
}

/** Looks through every answer of both surfaces, the store and the log. */
async function nowhere(workspace: Workspace, more: readonly string[] = []) {
  const { planted, app, org } = workspace;
  for (const surface of ["mcp", "rest"] as const) {
    const { answered, found } = await readAll({ ...workspace, invoke: invoker(app, surface, org) }, more);
    expect(found, `in answers over ${surface}`).toEqual([]);
    expect(answered).toBeGreaterThan(60);
  }
  const names = new Map<string, string>();
  for (const [name, people] of planted)
    for (const who of people) for (const token of tokensOf(who)) names.set(token, name);
  const stored = foundInStore(app.dataDir, [...names.keys(), ...more]);
  expect(
    stored.map((token) => `${names.get(token)}: ${token}`),
    "in the store",
  ).toEqual([]);
  expect(leaks(planted, logged.join("\n"), more), "in the log").toEqual([]);
}

describe("what identifies people, planted in evidence of every format", () => {
  it("stands nowhere once it came in anonymized: no row, blob, answer, export or log line", () =>
    on("anonymized", async (workspace) => {
      const pipeline = await work(workspace);
      expect(pipeline.status, pipeline.note).toBe("landed");
      await tryOut(workspace, pipeline.result.environments[0].id);
      expect(workspace.ids.get("gid"), "two runs").toHaveLength(2);
      await nowhere(workspace);
    }));

  it("stands nowhere once it came in as shapes, and neither does any other value", () =>
    on("shapes", async (workspace) => {
      const pipeline = await work(workspace);
      const env = pipeline.result?.environments?.[0]?.id;
      if (env) await tryOut(workspace, env);
      await nowhere(workspace, [VALUE]);
    }));
});

it("is found where it came in as it was: the search finds every kind of it", async () => {
  const app = await startApp();
  try {
    const org = await app.org();
    const invoke = invoker(app, "rest", org);
    await ok(invoke("evidence_post", { content: TRACE_FORMATS["openai-chat"]?.([sessionOf(person(0), 0)]) }));
    const wanted = tokensOf(person(0)).filter((one) => !/^\d{16}$/.test(one));
    expect(foundInStore(app.dataDir, wanted).sort()).toEqual([...wanted].sort());
  } finally {
    await app.close();
  }
});
