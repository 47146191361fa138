import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { OrgStore, ServiceStore } from "../../chapters/ports/store.ts";
import type { TrialRow } from "../../chapters/records/runs/runs.ts";
import { openPostgres } from "../../store/postgres/open.ts";
import { serviceStore } from "../../store/service.ts";
import { RecordingEngine } from "../helpers/recording-engine.ts";
import { fillLarge, LARGE, ORG, RECORD } from "../helpers/stores/large-store.ts";
import { type PlanNode, Planner, rowsRead, scans } from "../helpers/stores/plans.ts";
import { type Cluster, startPostgres } from "../helpers/stores/postgres.ts";
import { Note } from "../store/contract/notes.ts";

let cluster: Cluster;
let engine: RecordingEngine;
let service: ServiceStore;
let org: OrgStore;
let ofOrg: Planner;
let ofService: Planner;
beforeAll(async () => {
  cluster = await startPostgres();
  const url = await cluster.database();
  engine = new RecordingEngine(await openPostgres(url));
  service = serviceStore(engine);
  org = service.forOrg(ORG);
  await fillLarge(url);
  ofOrg = await Planner.open(url, ORG);
  ofService = await Planner.open(url, "*");
});
afterAll(async () => {
  await ofOrg?.close();
  await ofService?.close();
  await service?.close();
  await cluster?.stop();
});

/** Tables that one org fills by the million: none of them may be read from end to end. */
const BIG = new Set(
  "traces attributes records record_fields trials jobs job_events ledger audit tokens journals deliveries blobs".split(
    " ",
  ),
);
const PLANNINGS = ["custom", "generic"] as const;

/** Runs reads, and answers every statement of theirs with its plan, planned both ways. */
async function plansOf(read: () => Promise<unknown>, measured = false): Promise<{ name: string; plan: PlanNode }[]> {
  engine.take();
  await read();
  const ran = engine.take();
  expect(ran.length).toBeGreaterThan(0);
  const plans = [];
  for (const one of ran)
    for (const planning of PLANNINGS) {
      const planner = one.org === undefined ? ofService : ofOrg;
      plans.push({ name: `${planning} ${one.text}`, plan: await planner.plan(one, planning, measured) });
    }
  return plans;
}

/** A cursor far into a list: that of the last of many pages, read by pages of 500. */
async function deep(read: (cursor?: string) => Promise<{ readonly next?: string | undefined }>): Promise<string> {
  let cursor: string | undefined;
  for (let page = 0; page < 20; page++) cursor = (await read(cursor)).next ?? cursor;
  if (cursor === undefined) throw new Error("the list has one page");
  return cursor;
}

type Read = (store: OrgStore) => Promise<unknown>;
const firstOf: Read = async ({ traces }) => {
  for await (const _ of traces.stream([RECORD])) break;
};
const among = { some: ["some7", "some8"], usual: ["usual1"] };

describe("an org's reads are ranges of indexes that its id leads", () => {
  const reads: Readonly<Record<string, Read>> = {
    "traces.count": ({ traces }) => traces.count(RECORD),
    "traces.get": ({ traces }) => traces.get("tr_00050000"),
    "traces.at": ({ traces }) => traces.at(RECORD, [5, 50_000, 99_999]),
    "traces.stream": firstOf,
    "attributes.fields": ({ attributes }) => attributes.fields(RECORD),
    "attributes.values": ({ attributes }) => attributes.values(RECORD, "some"),
    "attributes.positions": ({ attributes }) => attributes.positions(RECORD, { rare: ["rare17"], ...among }),
    "attributes.places": ({ attributes }) => attributes.valuePositions(RECORD, "rare"),
    "records.get": ({ records }) => records.get(Note, "note_00001234"),
    "records.getMany": ({ records }) => records.getMany(Note, ["note_00001234", "note_00004321"]),
    "records.count": ({ records }) => records.count(Note, { size: 7 }),
    "records.count of two fields": ({ records }) => records.count(Note, { size: 7, colour: "blue" }),
    // A page by two fields is an intersection: it may read what meets one of them.
    "records.list by two fields": ({ records }) => records.list(Note, { where: { size: 7, colour: "blue" } }),
    "trials.get": ({ trials }) => trials.get("run_1", "tk_00001", 5),
    "trials.tally": ({ trials }) => trials.tally("run_1"),
    "jobs.get": ({ jobs }) => jobs.get("job_00000007"),
    "jobs.list live": ({ jobs }) => jobs.list({ live: true, limit: 20 }),
    "jobs.list of a parent": ({ jobs }) => jobs.list({ parent: "job_00000100", limit: 20 }),
    "jobs.events": ({ jobs }) => jobs.events("job_00000007"),
    "ledger.since": ({ ledger }) => ledger.since(19_000),
    "tokens.list": ({ tokens }) => tokens.list("org", { limit: 20 }),
    "journals.tail": ({ journals }) => journals.tail("wl_7", { seq: 190, chain: "chain" }),
    "deliveries.last": ({ deliveries }) => deliveries.last("ch_1"),
    "blobs.get": ({ blobs }) => blobs.get("0".repeat(64)),
  };
  it.each(Object.entries(reads))("%s", async (_, read) => {
    for (const { name, plan } of await plansOf(() => read(org))) {
      for (const scan of scans(plan)) {
        if (!BIG.has(scan.table)) continue;
        expect(scan["Node Type"], name).toMatch(/^(Index|Bitmap Heap)/);
        expect(scan["Index Cond"], name).toMatch(/\(org = (\$\d+|'org_1'::text|\w+\.org)\)|\borg = /);
      }
    }
  });
});

describe("pages, the first and those far in, read no more rows of a table than they show, and one", () => {
  const LIMIT = 50;
  type Page = (
    store: OrgStore,
    page: { limit: number; cursor?: string | undefined },
  ) => Promise<{ readonly next?: string | undefined }>;
  const pages: Readonly<Record<string, Page>> = {
    "traces.heads": ({ traces }, page) => traces.heads(RECORD, page),
    "attributes.list": ({ attributes }, page) => attributes.list(RECORD, page),
    "records.list, newest first": ({ records }, page) => records.list(Note, page),
    "records.list, oldest first": ({ records }, page) => records.list(Note, { ...page, order: "oldest" }),
    "records.list by a field": ({ records }, page) => records.list(Note, { ...page, where: { colour: "red" } }),
    "records.heads": ({ records }, page) => records.heads("test_note", page),
    "trials.list": ({ trials }, page) => trials.list("run_1", page) as Promise<{ items: TrialRow[]; next?: string }>,
    "jobs.list": ({ jobs }, page) => jobs.list(page),
    "ledger.list": ({ ledger }, page) => ledger.list(0, page),
    "audit.list": ({ audit }, page) => audit.list(page),
    "tokens.list": ({ tokens }, page) => tokens.list("org", page),
    "deliveries.list": ({ deliveries }, page) => deliveries.list(page),
  };
  it.each(Object.entries(pages))("%s", async (_, read) => {
    const far = await deep((cursor) => read(org, { limit: 100, cursor }));
    for (const cursor of [undefined, far])
      for (const { name, plan } of await plansOf(() => read(org, { limit: LIMIT, cursor }), true)) {
        for (const scan of scans(plan)) expect(scan["Node Type"], name).toMatch(/^(Index|Bitmap Heap)/);
        expect(rowsRead(plan), name).toBeLessThanOrEqual(scans(plan).length * (LIMIT + 1));
      }
  });
});

describe("what the workspace itself asks across orgs is by index too", () => {
  const reads: Readonly<Record<string, (store: ServiceStore) => Promise<unknown>>> = {
    tokenByHash: (store) => store.tokenByHash("hash77"),
    orgOfRecord: (store) => store.orgOfRecord("test_note", "note_00000007"),
    orgOfJob: (store) => store.orgOfJob("job_00000007"),
    orgOfToken: (store) => store.orgOfToken("tok_00000007"),
    claimJobs: (store) => store.claimJobs("own_1", 5, 10, 20, ["k1", "k2"]),
    renewJobs: (store) => store.renewJobs("own_1", ["job_00000007"], 20),
    "jobsAcrossOrgs live": (store) => store.jobsAcrossOrgs({ live: true, limit: 20 }),
    jobsAcrossOrgs: (store) => store.jobsAcrossOrgs({ limit: 20 }),
  };
  it.each(Object.entries(reads))("%s", async (_, read) => {
    for (const { name, plan } of await plansOf(() => read(service)))
      for (const scan of scans(plan))
        if (BIG.has(scan.table)) expect(scan["Node Type"], name).toMatch(/^(Index|Bitmap Heap)/);
  });

  it.each(["orgOfRecord", "orgOfJob", "orgOfToken"])(
    "%s looks at the rows of one id, not at every org",
    async (name) => {
      for (const { plan } of await plansOf(() => reads[name]?.(service) ?? Promise.resolve()))
        expect(rowsRead(plan)).toBeLessThanOrEqual(3);
    },
  );
});

it("a look at one trace among 100,000 reads that one row", async () => {
  const [, generic] = await plansOf(() => org.traces.get(`tr_${String(LARGE - 1).padStart(8, "0")}`), true);
  expect(generic && rowsRead(generic.plan)).toBe(1);
});

describe("a page of a range among 100,000 traces reads what it shows, and little beside", () => {
  // More than are few of each range; the first lies behind 66,666 others.
  const started = { min: 1e9 + 66_666 };
  const asked = { words: [], started };
  const reads: Readonly<Record<string, Read>> = {
    "its first page": ({ search }) => search.find(RECORD, asked, { limit: 50 }),
    "its second page": async ({ search }) => {
      const { next } = await search.find(RECORD, asked, { limit: 50 });
      engine.take();
      return search.find(RECORD, asked, { limit: 50, cursor: next });
    },
    "how many it has": ({ search }) => search.count(RECORD, asked, 1000),
    "a page of two ranges": ({ search }) => search.find(RECORD, { ...asked, ms: { max: 40 } }, { limit: 50 }),
  };
  it.each(Object.entries(reads))("%s", async (_, read) => {
    const plans = await plansOf(() => read(org), true);
    const pages = plans.filter(({ plan }) => scans(plan).some(({ table }) => table === "trace_index"));
    expect(pages.length).toBeGreaterThan(0);
    // How many are in the ranges is counted to 10,001; a chunk has 4,096 positions.
    for (const { name, plan } of pages) expect(rowsRead(plan), name).toBeLessThanOrEqual(15_000);
  });
});
