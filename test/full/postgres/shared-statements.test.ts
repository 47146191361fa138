import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { OrgStore } from "../../../chapters/ports/store.ts";
import { openPostgres } from "../../../store/postgres/open.ts";
import { serviceStore } from "../../../store/service.ts";
import { type Ran, RecordingEngine } from "../../helpers/recording-engine.ts";
import { Planner, scans } from "../../helpers/stores/plans.ts";
import { asSuperuser, type Cluster, startPostgres } from "../../helpers/stores/postgres.ts";
import { storeContract } from "../../store/contract.ts";

let cluster: Cluster;
let url: string;
beforeAll(async () => {
  cluster = await startPostgres();
});
afterAll(() => cluster?.stop());

const ran = new Map<string, Ran>();
const called = new Set<string>();
const recorded = async () => {
  const store = serviceStore(new RecordingEngine(await openPostgres(url), { ran }));
  return { ...store, forOrg: (id: string) => noted(store.forOrg(id)) };
};

/** Notes which methods of an org's repositories are called. */
function noted(store: OrgStore): OrgStore {
  const repositories = Object.entries(store).map(([name, repository]) => [
    name,
    typeof repository !== "object"
      ? repository
      : new Proxy(repository, {
          get: (target, method) => {
            const found = Reflect.get(target, method, target);
            if (typeof found !== "function") return found;
            called.add(`${name}.${String(method)}`);
            return found.bind(target);
          },
        }),
  ]);
  return Object.fromEntries(repositories) as OrgStore;
}

storeContract("recorded PostgreSQL", async () => {
  url = await cluster.database();
  return {
    open: recorded,
    drop: async () => undefined,
  };
});

/** Tables whose rows belong to no org, and the orgs themselves, which are told by their id. */
const WITHOUT_ORG = new Set(["settings", "workspace_audit", "migrations", "turns", "meters"]);

/** Whether each table that a statement reads or changes is narrowed to one org by the statement itself, no policy helping. */
async function namesOrg(planner: Planner, statement: Ran): Promise<boolean> {
  const { text } = statement;
  if (/^insert /.test(text)) {
    const [, columns = ""] = /^insert into "\w+" \(([^)]*)\)/.exec(text) ?? [];
    return columns.includes('"org"');
  }
  const read = scans(await planner.plan(statement, "generic")).filter(({ table }) => !WITHOUT_ORG.has(table));
  if (read.length === 1 && keysNameOrg(statement)) return true;
  return read.every((scan) => {
    const narrowed = `${scan["Index Cond"] ?? ""} ${scan.Filter ?? ""}`;
    return (scan.table === "orgs" ? /\bid = \$/ : /\borg = \$/).test(narrowed);
  });
}

/** Whether each whole key that a statement lists begins with its org. */
function keysNameOrg({ text, values, org }: Ran): boolean {
  const keys = [...text.matchAll(/\(cast\(\$(\d+) as text\), cast/g)];
  return keys.length > 0 && keys.every(([, place]) => values[Number(place) - 1] === org);
}

/** The verb of a statement and its first table. */
function act(text: string): string {
  const [, verb, table] = /^(\w+).*?(?:from|into|update) "(\w+)"/.exec(text.replace(/^update/, "update update")) ?? [];
  return `${verb} ${table}`;
}

describe("statements", () => {
  it("of an org's repositories were all run: each method was called", async () => {
    const store = await recorded();
    try {
      // What the contract leaves to other suites.
      const org = store.forOrg("org_1");
      await store.createOrg({ id: "org_1", tag: "one", created_at: 1 });
      await org.records.heads("test_note");
      await org.blobs.heads();
      expect(await org.trials.count("run_1")).toBe(0);
      await org.blobs.delete(await org.blobs.put(Buffer.from("text")));
      await org.traces.deleteBefore("ev_1", 1, false);
      await org.traces.deleteBefore("ev_1", 1, true);
      const line = await org.audit.append(1, "tester", "act", {});
      await org.audit.verify();
      await store.createOrg({ id: "org_2", tag: "two", created_at: 1 });
      // It is chained to its own org.
      await expect(store.forOrg("org_2").audit.restore([line])).rejects.toMatchObject({ code: "conflict" });
      const methods = Object.entries(store.forOrg("org_1")).flatMap(([name, repository]) =>
        typeof repository !== "object"
          ? []
          : Object.getOwnPropertyNames(Object.getPrototypeOf(repository))
              .filter((method) => method !== "constructor" && !method.startsWith("#"))
              .map((method) => `${name}.${method}`),
      );
      expect(methods.length).toBeGreaterThan(50);
      expect(methods.filter((method) => !called.has(method))).toEqual([]);
    } finally {
      await store.close();
    }
  });

  it("of an org's repositories name the org, whatever the policies do; those of the workspace that do not are these", async () => {
    // No policy holds a superuser: what narrows its plans stands in the statement.
    const planner = await Planner.open(asSuperuser(url), "*");
    try {
      const forgot: string[] = [];
      const workspace = new Set<string>();
      for (const statement of ran.values()) {
        if (await namesOrg(planner, statement)) continue;
        if (statement.org !== undefined) forgot.push(statement.text);
        else workspace.add(act(statement.text));
      }
      expect(ran.size).toBeGreaterThan(100);
      expect(forgot).toEqual([]);
      expect([...workspace].sort()).toEqual([
        "insert meters",
        "insert orgs",
        "insert settings",
        "insert turns",
        "insert workspace_audit",
        // Whether another org holds a name; the queue of all orgs; which org holds an id; who holds a token.
        "select claims",
        "select jobs",
        "select orgs",
        "select records",
        "select tokens",
        "update jobs",
      ]);
    } finally {
      await planner.close();
    }
  });
});
