import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { expect, it } from "vitest";
import { unpack } from "../../../store/codec.ts";
import { bothSurfaces, type Invoke, startApp, type TestApp, type TestOrg } from "../../helpers/app.ts";
import { runToEnd, shopIn } from "../runs/kit.ts";

const MARK = "zqplantedmarkerzq";
/** An id of the org or a table's rows in its database, counted by SQL of the test's own. */
type Counts = Record<string, number>;

function rowsOf(app: TestApp, org: TestOrg): Counts {
  const db = new Database(join(app.dataDir, "store.db"), { readonly: true });
  try {
    const tables = db.prepare("select name from sqlite_schema where type = 'table'").pluck().all() as string[];
    return Object.fromEntries(
      tables.flatMap((table) => {
        const columns = (db.pragma(`table_info(${table})`) as { name: string }[]).map(({ name }) => name);
        const column = table === "orgs" ? "id" : columns.includes("org") ? "org" : undefined;
        if (column === undefined) return [];
        return [[table, db.prepare(`select count(*) from ${table} where ${column} = ?`).pluck().get(org.id) as number]];
      }),
    );
  } finally {
    db.close();
  }
}

/** Leaves the marker wherever an org's words can end up, and at least one row in every table. */
async function plant(app: TestApp, org: TestOrg, invoke: Invoke): Promise<void> {
  const { environment } = await shopIn(app.service, org.id, 4, MARK);
  await runToEnd(invoke, { harness: "reference", environment });
  const store = app.service.store.forOrg(org.id);
  const long = `${MARK} said a person. `.repeat(400);
  const trace = {
    messages: [
      { role: "user", content: long },
      { role: "assistant", content: MARK },
    ],
  };
  const posted = await invoke("evidence_post", { content: JSON.stringify(trace), kind: "traces" });
  expect(posted.status).toBe(201);
  // Traces are read in for searching when they are first searched.
  expect((await invoke("evidence_match", { eid: (posted.body as { id: string }).id, q: MARK })).status).toBe(200);
  const row = { position: 0, field: MARK, value: MARK, cite: MARK, tier: "deterministic", reader: MARK } as const;
  await store.attributes.put((posted.body as { id: string }).id, [row]);
  expect((await invoke("evidence_post", { content: `# ${MARK}\n\n${long}`, kind: "document" })).status).toBe(201);
  await invoke("members_post", { email: `${MARK}@example.com`, name: MARK });
  await invoke("org_tokens_post", { name: MARK, scope: "read" });
  await invoke("worlds_post", { environment, label: MARK });
  const at = app.service.now();
  await store.ledger.append({ id: "lg_1", at, job: null, kind: MARK, who: MARK, micro_usd: 1, note: MARK });
  await store.deliveries.append({
    id: "dl_1",
    at,
    by: MARK,
    channel: "chat",
    group: MARK,
    target: MARK,
    reference: { permalink: MARK },
  });
  await store.opens.count({ group: MARK, via: MARK, day: 1, member: MARK });
  await store.claims.take(MARK, at);
  await store.journals.append(
    "wl_1",
    [{ seq: 1, tool: MARK, args: {}, answer: long, answer_class: "data", is_error: false, changes: [], at, drawn: 0 }],
    { seq: 0, chain: "" },
  );
}

/** Where a text stands: in the bytes of any file of the data folder, or in any stored body once it is unpacked. */
function placesOf(app: TestApp, texts: readonly (string | Buffer)[]): string[] {
  const found = new Set<string>();
  const look = (bytes: Uint8Array, place: string) => {
    for (const text of texts) if (Buffer.from(bytes).includes(text)) found.add(place);
  };
  for (const file of readdirSync(app.dataDir, { withFileTypes: true }))
    if (file.isFile()) look(readFileSync(join(app.dataDir, file.name)), file.name);
  const db = new Database(join(app.dataDir, "store.db"), { readonly: true });
  try {
    for (const table of ["blobs", "traces", "trials", "journals"])
      for (const row of db.prepare(`select encoding, body from ${table}`).iterate() as Iterable<
        Parameters<typeof unpack>[0]
      >)
        look(unpack(row), `unpacked ${table}`);
  } finally {
    db.close();
  }
  return [...found].sort();
}

bothSurfaces("org_purge_preview counts what org_delete then removes, table by table", async (invoke, { app, org }) => {
  await plant(app, org, invoke);
  const beta = await app.org("beta");
  await shopIn(app.service, beta.id, 2);
  const betaRows = rowsOf(app, beta);
  const rows = rowsOf(app, org);
  for (const [table, count] of Object.entries(rows)) expect(count, table).toBeGreaterThan(0);

  expect((await invoke("org_purge_preview", {}, org.push)).status).toBe(403);
  const preview = await invoke("org_purge_preview");
  expect(preview).toMatchObject({ status: 200, body: { org: "acme", tier: "deterministic" } });
  // What traces are searched by is made of them and goes with them: it is no row of its own.
  const { trace_index: _, trace_spans: __, ...counted } = rows;
  expect(preview.body.tables).toEqual(counted);
  expect(preview.body.total).toBe(Object.values(counted).reduce((sum, n) => sum + n, 0));
  expect(Object.values(preview.body.records as Counts).reduce((sum, n) => sum + n, 0)).toBe(rows.records);
  expect(preview.body.evidence_sidecars).toEqual({ traces: rows.traces, blobs: rows.blobs });
  expect(preview.body.ids.member).toHaveLength(1);
  expect(preview.body.jobs_note).toBe("No job is under way.");
  expect(rowsOf(app, org)).toEqual(rows);

  for (const confirm of [undefined, "beta", "ACME", ""]) {
    const refused = await invoke("org_delete", { confirm });
    expect(refused, String(confirm)).toMatchObject({ status: 400, body: { fields: [{ path: "confirm" }] } });
  }
  expect((await invoke("org_delete", { confirm: "acme" }, org.push)).status).toBe(403);
  expect((await invoke("org_delete", { orgtag: "acme", confirm: "acme" }, beta.admin)).status).toBe(403);
  expect(rowsOf(app, org)).toEqual(rows);

  const gone = await invoke("org_delete", { confirm: "acme" });
  expect(gone).toMatchObject({ status: 200, body: { org: "acme", deleted: true, scrubbed: true } });
  expect(gone.body.tables).toEqual(preview.body.tables);
  expect(gone.body.records).toEqual(preview.body.records);
  expect(gone.body.total).toBe(preview.body.total);
  expect(Object.values(rowsOf(app, org)).every((count) => count === 0)).toBe(true);
  expect(rowsOf(app, beta)).toEqual(betaRows);
  expect((await app.rest("GET", "/v0/whoami", undefined, org.admin)).status).toBe(401);
  expect((await app.rest("GET", "/v0/orgs/acme/tokens", undefined, app.operator)).status).toBe(404);
  const left = await app.rest("GET", "/v0/orgs", undefined, app.operator);
  expect(left.body.orgs).toMatchObject([{ org: "beta" }]);
});

it("leaves no byte of a deleted org in any table, blob, file or the write-ahead log", async () => {
  const app = await startApp();
  try {
    const org = await app.org("acmemarkedtag");
    const { invoker } = await import("../../helpers/app.ts");
    const invoke = invoker(app, "rest", org);
    await app.org("beta");
    await plant(app, org, invoke);
    // The compressed forms too: a body's own bytes, as the database holds them.
    const db = new Database(join(app.dataDir, "store.db"), { readonly: true });
    const bodies = (db.prepare("select body from traces where length(body) > 100").pluck().all() as Buffer[]).map(
      (body) => body.subarray(0, 64),
    );
    db.close();
    expect(bodies.length).toBeGreaterThan(0);
    const texts = [MARK, org.id, org.tag, ...bodies];
    expect(placesOf(app, [MARK])).toEqual(
      expect.arrayContaining(["store.db-wal", "unpacked blobs", "unpacked traces", "unpacked journals"]),
    );
    expect(placesOf(app, bodies)).toContain("store.db-wal");
    const gone = await invoke("org_delete", { confirm: org.tag });
    expect(gone.body).toMatchObject({ deleted: true, scrubbed: true });
    expect(placesOf(app, texts)).toEqual([]);
    await app.service.store.audit.append(app.service.now(), "t", "later", {});
    expect(placesOf(app, texts)).toEqual([]);
  } finally {
    await app.close();
  }
});

it("ends an org whose jobs are running, and a new org of its tag begins empty", async () => {
  const app = await startApp();
  try {
    const org = await app.org();
    const { invoker } = await import("../../helpers/app.ts");
    const invoke = invoker(app, "rest", org);
    const { environment } = await shopIn(app.service, org.id, 12);
    const started = await invoke("start_run", { harness: "reference", environment, trials: 5 });
    expect(started.status).toBe(202);
    const preview = await invoke("org_purge_preview");
    expect(preview.body.jobs_note).toMatch(/deletion ends them first|No job is under way/);
    expect((await invoke("org_delete", { confirm: "acme" })).status).toBe(200);
    expect(Object.values(rowsOf(app, org)).every((count) => count === 0)).toBe(true);
    const { createOrg } = await import("../../../src/service/workspace.ts");
    const again = await createOrg(app.service, "acme");
    expect(again.id).not.toBe(org.id);
    expect((await app.rest("GET", "/v0/orgs/acme/members", undefined, app.operator)).body.members).toEqual([]);
    expect((await app.rest("GET", "/v0/whoami", undefined, org.admin)).status).toBe(401);
  } finally {
    await app.close();
  }
});

bothSurfaces("org_rename moves the org with everything it owns", async (invoke, { app, org }) => {
  const beta = await app.org("beta");
  const { invite: _link, ...member } = (await invoke("members_post", { email: "ann@example.com", name: "Ann" })).body;
  const before = rowsOf(app, org);
  for (const [to, path] of [
    ["Not A Tag", "to"],
    ["-x", "to"],
    ["acme", "to"],
    ["x".repeat(64), "to"],
  ] as const) {
    expect(await invoke("org_rename", { to }), to).toMatchObject({ status: 400, body: { fields: [{ path }] } });
  }
  expect(await invoke("org_rename", { to: "beta" })).toMatchObject({ status: 409, body: { error: "conflict" } });
  expect((await invoke("org_rename", { to: "newco" }, org.push)).status).toBe(403);
  expect((await invoke("whoami")).body.org).toBe("acme");

  const moved = await invoke("org_rename", { to: "newco", by: "ann" });
  expect(moved).toMatchObject({ status: 200, body: { org: "newco", was: "acme" } });
  expect(moved.body.moved).toBe(Object.values(before).reduce((sum, n) => sum + n, 0));
  expect(rowsOf(app, org)).toEqual({ ...before, audit: (before.audit ?? 0) + 1 });
  const as = { orgtag: "newco" };
  expect((await invoke("members_list", as)).body.members).toEqual([member]);
  expect((await invoke("whoami")).body.org).toBe("newco");
  expect((await app.rest("GET", "/v0/orgs/acme/members", undefined, org.admin)).status).toBe(403);
  expect((await app.rest("GET", "/v0/orgs/acme/members", undefined, app.operator)).status).toBe(404);
  const lines = (await app.service.store.forOrg(org.id).audit.list({ limit: 1 })).items;
  expect(lines).toMatchObject([
    { act: "org_renamed", by: "token:acme-admin", fields: { from: "acme", to: "newco", said_by: "ann" } },
  ]);

  const raced = await Promise.all([
    invoke("org_rename", { ...as, to: "raced" }),
    invoke("org_rename", { orgtag: "beta", to: "raced" }, beta.admin),
  ]);
  expect(raced.map(({ status }) => status).sort()).toEqual([200, 409]);
});

it("takes up a removal that a process before began", async () => {
  const app = await startApp({ jobs: false });
  try {
    const org = await app.org();
    await shopIn(app.service, org.id, 2);
    await app.service.store.removal.begin(org.id, 1, "operator");
    expect(rowsOf(app, org).records).toBeGreaterThan(0);
    app.service.begin();
    await expect.poll(() => rowsOf(app, org).orgs).toBe(0);
    expect(Object.values(rowsOf(app, org)).every((count) => count === 0)).toBe(true);
    await expect.poll(() => app.service.store.removal.vacuumDue()).toBe(false);
  } finally {
    await app.close();
  }
});
